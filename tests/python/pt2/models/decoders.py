"""Language models that decode, from transformers: without a cache, and with each kind of cache."""

import torch
from torch import nn
from torch.export import Dim

from .libraries import transformers as hf
from .specimen import Call, Specimen, specimen

VOCABULARY = 60
POSITIONS = 40
SMALL = {
    "vocab_size": VOCABULARY,
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": POSITIONS,
    "pad_token_id": 0,
}
STEPS = 10
EXPERTS = "batched_mm"  # the default has an operator that transformers itself defines


class Logits(nn.Module):
    """A language model as a function of tokens alone."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.model(input_ids=tokens, use_cache=False).logits.float()


class StaticDecoder(nn.Module):
    """Decodes one token at a time into a cache of a fixed size, which is the module's state."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model
        config = model.config
        self.cache = hf.StaticCache(config=config, max_cache_len=16)
        head_dim = getattr(config, "head_dim", None) or (
            config.hidden_size // config.num_attention_heads
        )
        self.cache.early_initialization(
            1, config.num_key_value_heads, head_dim, torch.float32, torch.device("cpu")
        )
        for index, layer in enumerate(self.cache.layers):
            self.register_buffer(f"keys_{index}", layer.keys, persistent=False)
            self.register_buffer(f"values_{index}", layer.values, persistent=False)

    def forward(self, token: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
        return self.model(
            input_ids=token,
            position_ids=position[None],
            cache_position=position,
            past_key_values=self.cache,
            use_cache=True,
        ).logits


class DynamicDecoder(nn.Module):
    """Decodes with a cache that is an argument and a result, and grows."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, token: torch.Tensor, cache: hf.DynamicCache) -> tuple:
        result = self.model(input_ids=token, past_key_values=cache, use_cache=True)
        return result.logits, result.past_key_values


def tokens(batch: int, length: int) -> torch.Tensor:
    return torch.randint(3, VOCABULARY, (batch, length))


def free_sizes() -> dict:
    return {"tokens": {0: Dim("batch", min=2, max=16), 1: Dim("length", min=2, max=32)}}


def plain(model: nn.Module, tolerance: float = 1e-5) -> Specimen:
    calls = [((tokens(2, 9),), {}), ((tokens(2, 9),), {}), ((tokens(3, 13),), {})]
    return Specimen(Logits(model), calls, free_sizes(), tolerance)


def llama() -> nn.Module:
    return hf.LlamaForCausalLM(hf.LlamaConfig(**SMALL))


@specimen
def gpt2() -> Specimen:
    config = hf.GPT2Config(
        vocab_size=VOCABULARY, n_embd=16, n_layer=2, n_head=2, n_positions=POSITIONS
    )
    return plain(hf.GPT2LMHeadModel(config))


@specimen
def llama_without_cache() -> Specimen:
    return plain(llama())


def next_static(call: Call, results: torch.Tensor, step: int) -> Call:
    return (results[:, -1].argmax(-1, keepdim=True), torch.tensor([step])), {}


def static(model: nn.Module) -> Specimen:
    def call() -> Call:
        return (tokens(1, 1), torch.tensor([0])), {}

    return Specimen(StaticDecoder(model), [call(), call()], chain=next_static, steps=STEPS)


@specimen
def llama_with_static_cache() -> Specimen:
    return static(llama())


def next_dynamic(call: Call, results: tuple, step: int) -> Call:
    logits, cache = results
    return (logits[:, -1].argmax(-1, keepdim=True), cache), {}


def dynamic(model: nn.Module) -> Specimen:
    config = model.config
    heads = getattr(config, "num_key_value_heads", config.num_attention_heads)
    head_dim = config.hidden_size // config.num_attention_heads

    def call(length: int) -> Call:
        cache = hf.DynamicCache()
        for index in range(config.num_hidden_layers):
            cache.update(
                torch.randn(2, heads, length, head_dim),
                torch.randn(2, heads, length, head_dim),
                index,
            )
        return (tokens(2, 1), cache), {}

    layers = [[{2: Dim.AUTO}] * config.num_hidden_layers for _ in ("keys", "values")]
    calls = [call(5), call(5), call(8)]
    return Specimen(DynamicDecoder(model), calls, (None, layers), chain=next_dynamic, steps=STEPS)


@specimen
def llama_with_dynamic_cache() -> Specimen:
    return dynamic(llama())


@specimen
def llama_in_bfloat16() -> Specimen:
    return plain(llama().to(torch.bfloat16), tolerance=1e-2)


@specimen
def mistral() -> Specimen:
    return plain(hf.MistralForCausalLM(hf.MistralConfig(**SMALL, sliding_window=6)))


@specimen
def qwen2() -> Specimen:
    return plain(hf.Qwen2ForCausalLM(hf.Qwen2Config(**SMALL)))


@specimen
def qwen3() -> Specimen:
    return plain(hf.Qwen3ForCausalLM(hf.Qwen3Config(**SMALL, head_dim=8)))


@specimen
def gemma2() -> Specimen:
    return plain(hf.Gemma2ForCausalLM(hf.Gemma2Config(**SMALL, head_dim=8, sliding_window=6)))


@specimen
def gemma3() -> Specimen:
    config = hf.Gemma3TextConfig(**SMALL, head_dim=8, sliding_window=6)
    return plain(hf.Gemma3ForCausalLM(config))


@specimen
def phi3() -> Specimen:
    return plain(hf.Phi3ForCausalLM(hf.Phi3Config(**SMALL)))


@specimen
def mixtral() -> Specimen:
    config = hf.MixtralConfig(**SMALL, num_local_experts=4, experts_implementation=EXPERTS)
    return plain(hf.MixtralForCausalLM(config))


@specimen
def mamba() -> Specimen:
    config = hf.MambaConfig(
        vocab_size=VOCABULARY, hidden_size=16, num_hidden_layers=2, state_size=4, pad_token_id=0
    )
    made = plain(hf.MambaForCausalLM(config))
    made.calls = [((tokens(2, 9),), {}), ((tokens(2, 9),), {}), ((tokens(3, 9),), {})]
    made.dynamic_shapes = {"tokens": {0: Dim("batch", min=2, max=16)}}  # loops over the length
    return made


@specimen
def deepseek_v2() -> Specimen:
    config = hf.DeepseekV2Config(
        **{**SMALL, "num_key_value_heads": 4},
        q_lora_rank=16,
        kv_lora_rank=16,
        qk_nope_head_dim=8,
        qk_rope_head_dim=8,
        v_head_dim=8,
        head_dim=8,
        n_routed_experts=4,
        num_experts_per_tok=2,
        moe_intermediate_size=16,
        first_k_dense_replace=1,
        n_group=1,
        topk_group=1,
        experts_implementation=EXPERTS,
    )
    return plain(hf.DeepseekV2ForCausalLM(config))
