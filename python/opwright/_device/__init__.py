"""Devices: plug-ins, streams, fallbacks to the CPU."""
