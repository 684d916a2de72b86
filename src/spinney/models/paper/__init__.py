"""The founding paper's models: trees, exact forests, forests by cuts and by a penalty."""
