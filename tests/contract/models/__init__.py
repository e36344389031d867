"""The edge to the model library and the local engine, each against what is really on the other side."""
