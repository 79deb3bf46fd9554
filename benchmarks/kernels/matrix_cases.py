"""Matrix products and convolutions of Opwright and torch on the same inputs."""

import numpy

# (rows, depth, columns) of a product; 2 x 2 has as many elements as the smallest pointwise case.
SMALL_SIDES = (2, 32, 64)
LARGE_SIDES = (256, 512, 1024)
# name: (batch, channels, results, kernel, image, stride, padding)
IMAGES = {
    "conv2d 3x3, 64 to 64, 56x56": (1, 64, 64, 3, 56, 1, 1),
    "conv2d 1x1, 256 to 64, 28x28, 8 images": (8, 256, 64, 1, 28, 1, 0),
    "conv2d 7x7 by 2, 3 to 64, 224x224": (1, 3, 64, 7, 224, 2, 3),
}


def make(package, *sizes):
    generator = numpy.random.default_rng(1)
    return package.from_numpy(generator.standard_normal(sizes, dtype=numpy.float32))


def square_case(package, side):
    x, y = make(package, side, side), make(package, side, side)
    return lambda: package.mm(x, y)


def small_product_cases(package):
    """Return {name: function without arguments}; `package` is opwright or torch."""
    return {f"mm {side}x{side}": square_case(package, side) for side in SMALL_SIDES}


def product_cases(package):
    x, y = make(package, 32, 64, 64), make(package, 32, 64, 64)
    weight, tokens = make(package, 1024, 256), make(package, 4, 256)
    cases = {f"mm {side}x{side}": square_case(package, side) for side in LARGE_SIDES}
    return {
        **cases,
        "bmm 32 of 64x64": lambda: package.bmm(x, y),
        "linear 256 to 1024, 1 row": lambda: package.nn.functional.linear(tokens[:1], weight),
        "linear 256 to 1024, 4 rows": lambda: package.nn.functional.linear(tokens, weight),
    }


def half_product_cases(package):
    """Return the cases of products of halves, as above."""
    cases, linear = {}, package.nn.functional.linear
    for name in ("bfloat16", "float16"):
        x, y = (make(package, 512, 512).to(getattr(package, name)) for _ in range(2))
        weight = make(package, 1024, 256).to(getattr(package, name))
        token, tokens = weight[:1], weight[:128]
        cases |= {
            f"mm of {name} 512x512": lambda x=x, y=y: package.mm(x, y),
            f"linear of {name}, 128 tokens": lambda x=tokens, w=weight: linear(x, w),
            f"linear of {name}, 1 token": lambda x=token, w=weight: linear(x, w),
        }
    return cases


def convolution_case(package, batch, channels, results, kernel, image, stride, padding):
    x = make(package, batch, channels, image, image)
    weight = make(package, results, channels, kernel, kernel)
    convolve = package.ops.aten.conv2d.default
    return lambda: convolve(x, weight, None, [stride, stride], [padding, padding])


def convolution_cases(package):
    return {name: convolution_case(package, *sizes) for name, sizes in IMAGES.items()}
