"""Speech models, from transformers."""

import torch
from torch.export import Dim

from .libraries import transformers as hf
from .specimen import Call, Specimen, specimen


def whisper_config() -> hf.WhisperConfig:
    return hf.WhisperConfig(
        vocab_size=60,
        num_mel_bins=16,
        d_model=32,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        max_source_positions=20,
        max_target_positions=20,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
        decoder_start_token_id=1,
        use_cache=False,
    )


@specimen
def whisper() -> Specimen:
    def call(batch: int, length: int) -> Call:
        return (), {
            "input_features": torch.randn(batch, 16, 40),
            "decoder_input_ids": torch.randint(3, 60, (batch, length)),
        }

    batch, length = Dim("batch", min=2, max=16), Dim("length", min=2, max=16)
    shapes = {"input_features": {0: batch}, "decoder_input_ids": {0: batch, 1: length}}
    model = hf.WhisperForConditionalGeneration(whisper_config())
    return Specimen(model, [call(2, 5), call(2, 5), call(3, 7)], shapes)


@specimen
def wav2vec2() -> Specimen:
    config = hf.Wav2Vec2Config(
        vocab_size=20,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        conv_dim=[16, 16, 16],
        conv_stride=[5, 2, 2],
        conv_kernel=[10, 3, 2],
        num_conv_pos_embeddings=8,
        num_conv_pos_embedding_groups=2,
    )

    def call(batch: int, length: int) -> Call:
        return (), {"input_values": torch.randn(batch, length)}

    shapes = {"input_values": {0: Dim("batch", min=2, max=16), 1: Dim("length", min=200, max=4000)}}
    calls = [call(2, 640), call(2, 640), call(3, 901)]
    return Specimen(hf.Wav2Vec2ForCTC(config), calls, shapes)
