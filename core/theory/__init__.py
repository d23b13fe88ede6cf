"""Exact curves without sampling, on the same axes as the simulations."""
