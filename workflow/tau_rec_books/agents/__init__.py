"""Agents: scripted reference agents and controls."""
