"""BERT and its relatives, and T5, from transformers."""

import torch
from torch.export import Dim

from .libraries import transformers as hf
from .specimen import Call, Specimen, specimen

VOCABULARY = 60
SMALL = {
    "vocab_size": VOCABULARY,
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 40,
}


def tokens(batch: int, length: int) -> torch.Tensor:
    return torch.randint(3, VOCABULARY, (batch, length))


def masked_call(batch: int, length: int) -> Call:
    """Tokens, and a mask that hides the last ones of the first row."""
    mask = torch.ones(batch, length, dtype=torch.int64)
    mask[0, -2:] = 0
    return (), {"input_ids": tokens(batch, length), "attention_mask": mask}


def masked_calls() -> list[Call]:
    return [masked_call(2, 9), masked_call(2, 9), masked_call(3, 13)]


def free_sizes(*names: str) -> dict:
    batch, length = Dim("batch", min=2, max=16), Dim("length", min=2, max=32)
    return {name: {0: batch, 1: length} for name in names}


def masked(model: torch.nn.Module) -> Specimen:
    return Specimen(model, masked_calls(), free_sizes("input_ids", "attention_mask"))


@specimen
def bert() -> Specimen:
    return masked(hf.BertModel(hf.BertConfig(**{**SMALL, "num_hidden_layers": 1})))


@specimen
def bert_for_masked_tokens() -> Specimen:
    return masked(hf.BertForMaskedLM(hf.BertConfig(**SMALL)))


@specimen
def electra() -> Specimen:
    return masked(hf.ElectraForTokenClassification(hf.ElectraConfig(**SMALL, embedding_size=8)))


@specimen
def distilbert() -> Specimen:
    config = hf.DistilBertConfig(
        vocab_size=VOCABULARY,
        dim=16,
        n_layers=2,
        n_heads=2,
        hidden_dim=32,
        max_position_embeddings=40,
    )
    return masked(hf.DistilBertForSequenceClassification(config))


@specimen
def deberta() -> Specimen:
    config = hf.DebertaV2Config(
        **SMALL, relative_attention=True, position_buckets=8, pos_att_type=["p2c", "c2p"]
    )
    return masked(hf.DebertaV2Model(config))


def t5_config() -> hf.T5Config:
    return hf.T5Config(
        vocab_size=VOCABULARY,
        d_model=16,
        d_kv=8,
        d_ff=32,
        num_layers=2,
        num_heads=2,
        use_cache=False,
    )


@specimen
def t5() -> Specimen:
    def call(batch: int, source: int, target: int) -> Call:
        return (), {
            "input_ids": tokens(batch, source),
            "decoder_input_ids": tokens(batch, target),
        }

    batch, source, target = (Dim(name, min=2, max=32) for name in ("batch", "source", "target"))
    shapes = {"input_ids": {0: batch, 1: source}, "decoder_input_ids": {0: batch, 1: target}}
    calls = [call(2, 9, 7), call(2, 9, 7), call(3, 5, 8)]
    return Specimen(hf.T5ForConditionalGeneration(t5_config()), calls, shapes)


@specimen
def t5_encoder() -> Specimen:
    return masked(hf.T5EncoderModel(t5_config()))
