"""Frozen values of the product, standard library only."""
