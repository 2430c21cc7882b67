"""Learned models: bundles, embedder, tokenizer and the vLLM engine. Imports nothing of ours."""
