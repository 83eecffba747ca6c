"""Training of the voice model: from the rows of data/voice.tsv to engine/model/weights/voice."""
