"""Vision models with attention, from transformers."""

import torch
from torch.export import Dim

from .libraries import transformers as hf
from .specimen import Call, Specimen, specimen

SMALL = {
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "image_size": 32,
    "patch_size": 8,
}
BATCH = {0: Dim("batch", min=2, max=16)}


def images(model: torch.nn.Module, side: int = 32) -> Specimen:
    def call(batch: int) -> Call:
        return (), {"pixel_values": torch.randn(batch, 3, side, side)}

    return Specimen(model, [call(2), call(2), call(3)], {"pixel_values": BATCH})


@specimen
def vit() -> Specimen:
    config = hf.ViTConfig(**{**SMALL, "image_size": 16, "patch_size": 4, "num_hidden_layers": 1})
    return images(hf.ViTForImageClassification(config), side=16)


@specimen
def dinov2() -> Specimen:
    return images(hf.Dinov2Model(hf.Dinov2Config(**SMALL)))


@specimen
def clip() -> Specimen:
    text = {
        "vocab_size": 60,
        "hidden_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 32,
        "max_position_embeddings": 20,
        "eos_token_id": 59,
    }
    config = hf.CLIPConfig(text_config=text, vision_config=SMALL, projection_dim=16)

    def call(pictures: int, texts: int) -> Call:
        tokens = torch.randint(3, 59, (texts, 7))
        tokens[:, -1] = 59
        return (), {"input_ids": tokens, "pixel_values": torch.randn(pictures, 3, 32, 32)}

    shapes = {"input_ids": {0: Dim("texts", min=2, max=16)}, "pixel_values": BATCH}
    return Specimen(hf.CLIPModel(config), [call(2, 3), call(2, 3), call(4, 2)], shapes)


@specimen
def detr() -> Specimen:
    backbone = hf.ResNetConfig(
        embedding_size=8,
        hidden_sizes=[8, 16],
        depths=[1, 1],
        layer_type="basic",
        out_features=["stage2"],
    )
    config = hf.DetrConfig(
        use_timm_backbone=False,
        use_pretrained_backbone=False,
        backbone=None,
        backbone_config=backbone,
        d_model=32,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        num_queries=5,
        init_std=0.3,
    )
    return images(hf.DetrForObjectDetection(config))


@specimen
def swin() -> Specimen:
    config = hf.SwinConfig(
        image_size=32, patch_size=4, embed_dim=16, depths=[2, 2], num_heads=[2, 4], window_size=4
    )
    return images(hf.SwinForImageClassification(config))


@specimen
def segformer() -> Specimen:
    config = hf.SegformerConfig(
        num_encoder_blocks=2,
        depths=[1, 1],
        sr_ratios=[2, 1],
        hidden_sizes=[16, 32],
        patch_sizes=[7, 3],
        strides=[4, 2],
        num_attention_heads=[1, 2],
        mlp_ratios=[2, 2],
        decoder_hidden_size=32,
    )
    return images(hf.SegformerForSemanticSegmentation(config))
