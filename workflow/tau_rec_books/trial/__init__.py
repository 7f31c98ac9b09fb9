"""One trial: search tools, the rule user, the protocol, scoring, traces, replay."""
