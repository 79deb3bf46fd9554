"""Writes the archives of export.py with torch, and prints how long torch takes to load them.

write_archives.py FOLDER LAYERS ROUNDS: FOLDER gets llama.pt2, a decoder of LAYERS tiny layers with
a free length, and resnet50.pt2, with a free batch. Prints the median seconds of torch.export.load
by name as JSON; with 0 rounds, none. The process that measures Opwright has no torch.
"""

import json
import statistics
import sys
import time
from pathlib import Path

import torch
from torch import nn
from torch.export import Dim, export, load, save

HIDDEN, HEADS, KEY_HEADS, VOCABULARY = 64, 4, 2, 256
STAGES = ((64, 3), (128, 4), (256, 6), (512, 3))


class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(HIDDEN))

    def forward(self, x):
        wide = x.to(torch.float32)
        scale = torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)
        return self.weight * (wide * scale).to(x.dtype)


def rotate(x, cos, sin):
    left, right = x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]
    return x * cos + torch.cat((-right, left), dim=-1) * sin


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        size = HIDDEN // HEADS
        self.q, self.k, self.v = (
            nn.Linear(HIDDEN, heads * size, bias=False) for heads in (HEADS, KEY_HEADS, KEY_HEADS)
        )
        self.o = nn.Linear(HIDDEN, HIDDEN, bias=False)
        self.gate, self.up = (nn.Linear(HIDDEN, 2 * HIDDEN, bias=False) for _ in range(2))
        self.down = nn.Linear(2 * HIDDEN, HIDDEN, bias=False)
        self.before, self.after = Norm(), Norm()

    def forward(self, x, cos, sin, mask):
        batch, length, _ = x.shape
        y = self.before(x)
        q, k, v = (
            each(y).view(batch, length, -1, HIDDEN // HEADS).transpose(1, 2)
            for each in (self.q, self.k, self.v)
        )
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        k, v = (
            each[:, :, None]
            .expand(batch, KEY_HEADS, HEADS // KEY_HEADS, length, HIDDEN // HEADS)
            .reshape(batch, HEADS, length, HIDDEN // HEADS)
            for each in (k, v)
        )
        y = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        x = x + self.o(y.transpose(1, 2).reshape(batch, length, HIDDEN))
        y = self.after(x)
        return x + self.down(nn.functional.silu(self.gate(y)) * self.up(y))


class Llama(nn.Module):
    def __init__(self, num_layers):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, HIDDEN)
        self.layers = nn.ModuleList(Layer() for _ in range(num_layers))
        self.norm = Norm()
        self.head = nn.Linear(HIDDEN, VOCABULARY, bias=False)
        size = HIDDEN // HEADS
        self.register_buffer("frequencies", 1e4 ** -(torch.arange(0, size, 2) / size))

    def forward(self, tokens):
        places = torch.arange(tokens.shape[1])
        angles = (places[:, None].float() * self.frequencies).repeat(1, 2)
        mask = places[None, :] <= places[:, None]
        x = self.embedding(tokens)
        for layer in self.layers:
            x = layer(x, angles.cos(), angles.sin(), mask)
        return self.head(self.norm(x))


class Bottleneck(nn.Module):
    def __init__(self, channels, width, stride):
        super().__init__()

        def normalized(inputs, outputs, size, stride=1):
            convolution = nn.Conv2d(inputs, outputs, size, stride, size // 2, bias=False)
            return convolution, nn.BatchNorm2d(outputs)

        self.body = nn.Sequential(
            *normalized(channels, width, 1),
            nn.ReLU(inplace=True),
            *normalized(width, width, 3, stride),
            nn.ReLU(inplace=True),
            *normalized(width, 4 * width, 1),
        )
        is_same = stride == 1 and channels == 4 * width
        self.shortcut = (
            nn.Identity() if is_same else nn.Sequential(*normalized(channels, 4 * width, 1, stride))
        )

    def forward(self, x):
        return nn.functional.relu(self.body(x) + self.shortcut(x))


def resnet50():
    layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True)]
    layers.append(nn.MaxPool2d(3, 2, 1))
    channels = 64
    for stage, (width, count) in enumerate(STAGES):
        for block in range(count):
            layers.append(Bottleneck(channels, width, 2 if block == 0 and stage > 0 else 1))
            channels = 4 * width
    layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 1000)]
    return nn.Sequential(*layers)


def seconds_to_load(path, rounds):
    times = []
    for _ in range(rounds):
        begin = time.thread_time()
        load(path)
        times.append(time.thread_time() - begin)
    return statistics.median(times)


def main():
    folder, num_layers, rounds = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    torch.set_num_threads(1)
    models = {
        "llama": (Llama(num_layers), torch.zeros(2, 8, dtype=torch.int64), {1: Dim("length")}),
        "resnet50": (resnet50(), torch.zeros(2, 3, 64, 64), {0: Dim("batch")}),
    }
    seconds = {}
    for name, (model, example, dims) in models.items():
        path = folder / f"{name}.pt2"
        with torch.no_grad():
            save(export(model.eval(), (example,), dynamic_shapes=(dims,)), path)
        if rounds:
            seconds[name] = seconds_to_load(path, rounds)
    print(json.dumps(seconds))


if __name__ == "__main__":
    main()
