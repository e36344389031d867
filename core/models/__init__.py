"""Everything between a prompt and a model's answer; the only home of the model library."""
