"""The only SQLAlchemy. Operations are plain synchronous functions of a connection; `Store.run` executes them."""
