"""Further architectures of transformers, timm and torchvision, for the table of missing operators.

An entry makes a model with random weights and the arguments of one call.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import nn

from .libraries import timm, torchvision
from .libraries import transformers as hf


@dataclass
class Example:
    model: nn.Module
    args: tuple = ()
    kwargs: dict[str, Any] | None = None


VOCABULARY = 60
TEXT = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "max_position_embeddings": 64,
    "pad_token_id": 0,
}
IMAGE = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 64,
    "image_size": 32,
    "patch_size": 8,
}
SPEECH = {
    "vocab_size": 20,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 64,
    "conv_dim": [16, 16, 16],
    "conv_stride": [5, 2, 2],
    "conv_kernel": [10, 3, 2],
    "num_conv_pos_embeddings": 8,
    "num_conv_pos_embedding_groups": 2,
}


def of(name: str, model: str, settings: dict[str, Any], **inputs: torch.Tensor) -> Example:
    """Make a model of transformers from its config."""
    config = getattr(hf, f"{name}Config")(**settings)
    return Example(getattr(hf, model)(config), kwargs=inputs)


def tokens(length: int = 12) -> torch.Tensor:
    return torch.randint(3, VOCABULARY, (2, length))


def encoder(name: str, model: str = "", **others: Any) -> Example:
    inputs = {"input_ids": tokens(), "attention_mask": torch.ones(2, 12, dtype=torch.int64)}
    return of(name, model or f"{name}Model", {**TEXT, **others}, **inputs)


def decoder(name: str, model: str = "", **others: Any) -> Example:
    made = of(name, model or f"{name}ForCausalLM", {**TEXT, **others}, input_ids=tokens())
    made.kwargs["use_cache"] = False
    return made


def pair(name: str, model: str = "", length: int = 12, **others: Any) -> Example:
    settings = {
        "vocab_size": VOCABULARY,
        "d_model": 32,
        "encoder_layers": 1,
        "decoder_layers": 1,
        "encoder_attention_heads": 2,
        "decoder_attention_heads": 2,
        "encoder_ffn_dim": 32,
        "decoder_ffn_dim": 32,
        "max_position_embeddings": 64,
        "pad_token_id": 0,
        "bos_token_id": 1,
        "eos_token_id": 2,
        "decoder_start_token_id": 1,
        **others,
    }
    made = of(name, model or f"{name}Model", settings, input_ids=tokens(length))
    made.kwargs |= {"decoder_input_ids": tokens(5), "use_cache": False}
    return made


def images(name: str, model: str = "", side: int = 32, **settings: Any) -> Example:
    return of(name, model or f"{name}Model", settings, pixel_values=torch.randn(2, 3, side, side))


def patches(name: str, model: str = "", **others: Any) -> Example:
    return images(name, model, **{**IMAGE, **others})


def speech(name: str, model: str = "", **others: Any) -> Example:
    return of(name, model or f"{name}Model", {**SPEECH, **others}, input_values=torch.randn(2, 640))


def of_timm(name: str, side: int = 224, **settings: Any) -> Example:
    return Example(
        timm.create_model(name, num_classes=10, **settings), (torch.randn(2, 3, side, side),)
    )


def of_torchvision(name: str, *sizes: int, **settings: Any) -> Example:
    model = torchvision.models.get_model(name, weights=None, num_classes=10, **settings)
    return Example(model, (torch.randn(2, *(sizes or (3, 64, 64))),))


def segmentation(name: str) -> Example:
    model = torchvision.models.get_model(name, weights=None, weights_backbone=None, num_classes=5)
    return Example(model, (torch.randn(2, 3, 64, 64),))


FEW_HEADS = {"num_key_value_heads": 2}
# By default transformers calls an operator that it defines in Python itself. A program with it
# needs a definition here too, as for every custom operator.
GROUPED = {
    **FEW_HEADS,
    "num_experts": 4,
    "num_local_experts": 4,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 16,
}
EXPERTS = {**GROUPED, "experts_implementation": "batched_mm"}

TRANSFORMERS: dict[str, Callable[[], Example]] = {
    # Encoders of text
    "ALBERT": partial(encoder, "Albert", embedding_size=16),
    "BigBird": partial(encoder, "BigBird", attention_type="original_full"),
    "CamemBERT": partial(encoder, "Camembert"),
    "CANINE": partial(encoder, "Canine", num_hash_buckets=64, downsampling_rate=2),
    "ConvBERT": partial(encoder, "ConvBert", embedding_size=16, head_ratio=2),
    "Data2VecText": partial(encoder, "Data2VecText"),
    "DeBERTa (first)": partial(encoder, "Deberta", relative_attention=True, pos_att_type=["c2p"]),
    "ERNIE": partial(encoder, "Ernie"),
    "ESM": partial(encoder, "Esm", position_embedding_type="rotary", mask_token_id=3),
    "FNet": lambda: of("FNet", "FNetModel", TEXT, input_ids=tokens()),
    "Funnel": lambda: of(
        "Funnel",
        "FunnelModel",
        {
            "vocab_size": 60,
            "d_model": 32,
            "n_head": 2,
            "d_head": 16,
            "d_inner": 32,
            "block_sizes": [1, 1],
        },
        input_ids=tokens(),
    ),
    "I-BERT": partial(encoder, "IBert"),
    "LayoutLM": partial(encoder, "LayoutLM"),
    "MegatronBERT": partial(encoder, "MegatronBert"),
    "MobileBERT": partial(
        encoder, "MobileBert", embedding_size=32, intra_bottleneck_size=32, true_hidden_size=32
    ),
    "ModernBERT": partial(encoder, "ModernBert", global_attn_every_n_layers=2, local_attention=8),
    "MPNet": partial(encoder, "MPNet"),
    "MRA": partial(encoder, "Mra"),
    "Nystromformer": partial(encoder, "Nystromformer", segment_means_seq_len=12, num_landmarks=12),
    "RemBERT": partial(encoder, "RemBert", input_embedding_size=16),
    "RoBERTa": partial(encoder, "Roberta"),
    "RoCBert": partial(encoder, "RoCBert", enable_pronunciation=False, enable_shape=False),
    "RoFormer": partial(encoder, "RoFormer"),
    "Splinter": partial(encoder, "Splinter"),
    "SqueezeBERT": partial(encoder, "SqueezeBert", embedding_size=32),
    "XLM-RoBERTa": partial(encoder, "XLMRoberta"),
    "XLNet": lambda: of(
        "XLNet",
        "XLNetModel",
        {"vocab_size": 60, "d_model": 32, "n_layer": 2, "n_head": 2, "d_inner": 64},
        input_ids=tokens(),
    ),
    # Decoders of text
    "Arcee": partial(decoder, "Arcee", **FEW_HEADS),
    "BioGPT": partial(decoder, "BioGpt"),
    "BitNet": partial(decoder, "BitNet", **FEW_HEADS),
    "BLOOM": partial(decoder, "Bloom", n_layer=2, n_head=4),
    "CodeGen": partial(
        decoder, "CodeGen", n_embd=32, n_layer=2, n_head=4, n_positions=64, n_ctx=64, rotary_dim=4
    ),
    "Cohere": partial(decoder, "Cohere", **FEW_HEADS),
    "Cohere2": partial(decoder, "Cohere2", **FEW_HEADS),
    "CTRL": partial(
        decoder, "CTRL", "CTRLLMHeadModel", n_embd=32, n_layer=2, n_head=4, dff=64, n_positions=64
    ),
    "Falcon": partial(decoder, "Falcon"),
    "FalconMamba": partial(decoder, "FalconMamba", state_size=4),
    "Gemma": partial(decoder, "Gemma", **FEW_HEADS, head_dim=8),
    "GLM": partial(decoder, "Glm", **FEW_HEADS, head_dim=8),
    "GLM 4": partial(decoder, "Glm4", **FEW_HEADS, head_dim=8),
    "GPT (first)": partial(
        decoder, "OpenAIGPT", "OpenAIGPTLMHeadModel", n_embd=32, n_layer=2, n_head=4, n_positions=64
    ),
    "GPT BigCode": partial(decoder, "GPTBigCode", n_embd=32, n_layer=2, n_head=4, n_positions=64),
    "GPT-J": partial(decoder, "GPTJ", n_embd=32, n_layer=2, n_head=4, n_positions=64, rotary_dim=4),
    "GPT-Neo": partial(
        decoder,
        "GPTNeo",
        num_layers=2,
        num_heads=4,
        window_size=4,
        attention_types=[[["global", "local"], 1]],
    ),
    "GPT-NeoX": partial(decoder, "GPTNeoX"),
    "gpt-oss": partial(decoder, "GptOss", **EXPERTS, head_dim=8, sliding_window=6),
    "Granite": partial(decoder, "Granite", **FEW_HEADS),
    "Granite MoE": partial(decoder, "GraniteMoe", **EXPERTS),
    "Helium": partial(decoder, "Helium", **FEW_HEADS, head_dim=8),
    "JetMoE": partial(decoder, "JetMoe", **EXPERTS, kv_channels=8),
    "Mamba 2": partial(
        decoder, "Mamba2", num_heads=4, head_dim=16, state_size=8, n_groups=1, chunk_size=4
    ),
    "MPT": partial(decoder, "Mpt", d_model=32, n_heads=4, n_layers=2, max_seq_len=64),
    "Nemotron": partial(decoder, "Nemotron", **FEW_HEADS),
    "OLMo": partial(decoder, "Olmo", **FEW_HEADS),
    "OLMo 2": partial(decoder, "Olmo2", **FEW_HEADS),
    "OLMoE": partial(decoder, "Olmoe", **GROUPED),
    "OPT": partial(decoder, "OPT", ffn_dim=64, word_embed_proj_dim=32),
    "Persimmon": partial(decoder, "Persimmon"),
    "Phi": partial(decoder, "Phi"),
    "PhiMoE": partial(decoder, "Phimoe", **EXPERTS),
    "Qwen2-MoE": partial(decoder, "Qwen2Moe", **EXPERTS, shared_expert_intermediate_size=32),
    "Qwen3-MoE": partial(decoder, "Qwen3Moe", **EXPERTS, head_dim=8),
    "RecurrentGemma": partial(
        decoder, "RecurrentGemma", num_hidden_layers=3, lru_width=32, attention_window_size=8
    ),
    "RWKV": partial(decoder, "Rwkv", attention_hidden_size=32),
    "Seed-OSS": partial(decoder, "SeedOss", **FEW_HEADS, head_dim=8),
    "SmolLM 3": partial(decoder, "SmolLM3", **FEW_HEADS),
    "StableLM": partial(decoder, "StableLm", **FEW_HEADS),
    "StarCoder 2": partial(decoder, "Starcoder2", **FEW_HEADS),
    "XGLM": partial(decoder, "XGLM", d_model=32, num_layers=2, attention_heads=4, ffn_dim=64),
    # From text to text
    "BART": partial(pair, "Bart"),
    "Blenderbot": partial(pair, "Blenderbot"),
    "M2M100": partial(pair, "M2M100"),
    "Marian": partial(pair, "Marian"),
    "mBART": partial(pair, "MBart"),
    "Pegasus": partial(pair, "Pegasus"),
    "PEGASUS-X": partial(pair, "PegasusX", block_size=4, num_global_tokens=2),
    "Switch": partial(
        pair, "SwitchTransformers", d_kv=16, d_ff=64, num_layers=2, num_heads=2, num_experts=2
    ),
    "mT5": partial(pair, "MT5", d_kv=16, d_ff=64, num_layers=2, num_heads=2),
    "UMT5": partial(pair, "UMT5", d_kv=16, d_ff=64, num_layers=2, num_heads=2),
    # Images
    "BEiT": partial(patches, "Beit"),
    "CvT": partial(images, "Cvt"),
    "Data2VecVision": partial(patches, "Data2VecVision"),
    "DeiT": partial(patches, "DeiT"),
    "DINOv2 with registers": partial(patches, "Dinov2WithRegisters"),
    "DINOv3": partial(patches, "DINOv3ViT"),
    "DPT": partial(
        patches,
        "DPT",
        "DPTForDepthEstimation",
        num_hidden_layers=4,
        backbone_out_indices=[0, 1, 2, 3],
        neck_hidden_sizes=[8, 8, 16, 16],
        fusion_hidden_size=16,
    ),
    "FocalNet": partial(images, "FocalNet", embed_dim=16, depths=[1, 1], hidden_sizes=[16, 32]),
    "GLPN": partial(images, "GLPN", "GLPNForDepthEstimation", side=64),
    "Hiera": partial(
        images,
        "Hiera",
        side=64,
        image_size=[64, 64],
        embed_dim=16,
        depths=[1, 1],
        num_heads=[1, 2],
        num_query_pool=1,
    ),
    "I-JEPA": partial(patches, "IJepa"),
    "LeViT": partial(images, "Levit", side=224),
    "MobileNet V1": partial(images, "MobileNetV1", depth_multiplier=0.25),
    "MobileViT": partial(images, "MobileViT", side=64, image_size=64),
    "MobileViT V2": partial(images, "MobileViTV2", side=64, image_size=64, width_multiplier=0.5),
    "PoolFormer": partial(images, "PoolFormer", hidden_sizes=[16, 16, 32, 32], depths=[1] * 4),
    "PVT": partial(images, "Pvt", side=64, image_size=64),
    "RegNet": partial(
        images, "RegNet", hidden_sizes=[8, 8, 16, 16], depths=[1] * 4, groups_width=8
    ),
    "SigLIP (vision)": lambda: Example(
        hf.SiglipVisionModel(hf.SiglipVisionConfig(**IMAGE)), (torch.randn(2, 3, 32, 32),)
    ),
    "Swin V2": partial(
        images,
        "Swinv2",
        image_size=32,
        embed_dim=16,
        depths=[1, 1],
        num_heads=[1, 2],
        window_size=4,
    ),
    "ViT-MSN": partial(patches, "ViTMSN"),
    "YOLOS": partial(patches, "Yolos", image_size=[32, 32], num_detection_tokens=4),
    # Speech
    "AST": lambda: of(
        "AST",
        "ASTModel",
        {**IMAGE, "max_length": 64, "num_mel_bins": 32},
        input_values=torch.randn(2, 64, 32),
    ),
    "HuBERT": partial(speech, "Hubert"),
    "SEW": partial(speech, "SEW", squeeze_factor=2),
    "UniSpeech": partial(speech, "UniSpeech"),
    "WavLM": partial(speech, "WavLM"),
    # Series
    "PatchTST": lambda: of(
        "PatchTST",
        "PatchTSTForPrediction",
        {
            "num_input_channels": 2,
            "context_length": 32,
            "prediction_length": 4,
            "patch_length": 8,
            "patch_stride": 8,
            "d_model": 16,
            "num_attention_heads": 2,
            "num_hidden_layers": 1,
        },
        past_values=torch.randn(2, 32, 2),
    ),
}

TIMM: dict[str, Callable[[], Example]] = {
    f"timm {name}": partial(of_timm, name, side)
    for name, side in (
        ("cait_xxs24_224", 224),
        ("coat_tiny", 224),
        ("convit_tiny", 224),
        ("crossvit_tiny_240", 240),
        ("cspresnet50", 64),
        ("davit_tiny", 224),
        ("dla46_c", 64),
        ("edgenext_xx_small", 64),
        ("efficientformer_l1", 224),
        ("efficientvit_b0", 64),
        ("eva02_tiny_patch14_224", 224),
        ("fastvit_t8", 64),
        ("gcvit_xxtiny", 224),
        ("ghostnet_050", 64),
        ("gmlp_s16_224", 224),
        ("halonet26t", 256),
        ("hrnet_w18_small", 64),
        ("inception_next_atto", 64),
        ("lambda_resnet26t", 256),
        ("levit_128s", 224),
        ("mambaout_femto", 64),
        ("maxvit_rmlp_pico_rw_256", 256),
        ("mixer_s32_224", 224),
        ("mobilenetv4_conv_small", 64),
        ("mobileone_s0", 64),
        ("nest_tiny", 224),
        ("pit_ti_224", 224),
        ("repghostnet_050", 64),
        ("repvgg_a0", 64),
        ("res2net50_26w_4s", 64),
        ("resmlp_12_224", 224),
        ("resnest14d", 64),
        ("rexnet_100", 64),
        ("sequencer2d_s", 224),
        ("skresnet18", 64),
        ("starnet_s1", 64),
        ("tiny_vit_5m_224", 224),
        ("tnt_s_patch16_224", 224),
        ("twins_svt_small", 224),
        ("visformer_tiny", 224),
        ("xcit_nano_12_p16_224", 224),
    )
}

TORCHVISION: dict[str, Callable[[], Example]] = {
    "torchvision DenseNet": partial(of_torchvision, "densenet121"),
    "torchvision GoogLeNet": partial(of_torchvision, "googlenet", aux_logits=False),
    "torchvision Inception V3": partial(of_torchvision, "inception_v3", 3, 299, 299),
    "torchvision MaxViT": partial(of_torchvision, "maxvit_t", 3, 224, 224),
    "torchvision MNASNet": partial(of_torchvision, "mnasnet0_5"),
    "torchvision MViT": partial(of_torchvision, "mvit_v1_b", 3, 16, 224, 224),
    "torchvision R3D": partial(of_torchvision, "r3d_18", 3, 4, 32, 32),
    "torchvision S3D": partial(of_torchvision, "s3d", 3, 16, 224, 224),
    "torchvision ShuffleNet V2": partial(of_torchvision, "shufflenet_v2_x0_5"),
    "torchvision SqueezeNet": partial(of_torchvision, "squeezenet1_0"),
    "torchvision FCN": partial(segmentation, "fcn_resnet50"),
    "torchvision LR-ASPP": partial(segmentation, "lraspp_mobilenet_v3_large"),
}

WIDER = {**TRANSFORMERS, **TIMM, **TORCHVISION}
