"""The sums before an engine is started: what fits on which cards, how many may ask at once, how fast it can be.

cards, model shape -> layouts (one card, TP, PP, replicas) -> memory -> KV tokens -> speed -> advice
"""
