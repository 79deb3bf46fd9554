"""A test file in the manner of PyTorch's, with one test per class of result."""

import time

import torch
from torch.nn.nothing_like_this import some_layer
from torch.testing._internal.common_device_type import (
    dtypes,
    instantiate_device_type_tests,
    onlyCPU,
)
from torch.testing._internal.common_utils import (
    TestCase,
    instantiate_parametrized_tests,
    parametrize,
    run_tests,
    skipIfTorchDynamo,
    subtest,
)

RENAMED = torch.nothing_like_this  # a name that is missing while the file is imported


@torch.jit.script_if_tracing  # a name whose import is refused
def scripted(x):
    return x


class TestSample(TestCase):
    @skipIfTorchDynamo("not with dynamo")
    def test_sum(self):
        self.assertEqual(torch.ones(2, 3).sum(), 6.0)

    @parametrize("size, name", [(1, "one"), subtest((2, "two"), name="second")])
    @parametrize("flag", [True])
    def test_sizes(self, size, name, flag):
        self.assertEqual(len(torch.zeros(size)), size)

    def test_other_dtype(self):
        self.assertEqual(torch.ones(2, dtype=torch.float64), torch.ones(2))

    def test_text(self):
        with self.assertRaisesRegex(ValueError, "nobody says this"):
            torch.library.define("no namespace", "() -> ()")

    def test_reviewed_text(self):
        with self.assertRaisesRegex(ValueError, "nobody says this either"):
            torch.library.define("no namespace", "() -> ()")

    def test_class(self):
        with self.assertRaises(KeyError):
            torch.library.define("no namespace", "() -> ()")

    def test_missing_name(self):
        torch.utils.nothing_like_this()

    def test_missing_import(self):
        some_layer(3)

    def test_missing_operator(self):
        torch.ones(2).nothing_like_this()

    def test_private(self):
        torch._C._nothing_like_this()

    def test_of_a_private_result(self):
        raise AssertionError("as wanted")

    def test_difference(self):
        raise AssertionError("as wanted")

    def test_hang(self):
        time.sleep(60)

    def test_crash(self):
        import os

        os.abort()

    def test_after_the_crash(self):
        self.assertNotEqual(torch.tensor([1.0]), torch.tensor([2.0]))


class TestDevices(TestCase):
    @onlyCPU
    @dtypes(torch.float32, torch.int64)
    def test_zeros(self, device, dtype):
        self.assertEqual(torch.zeros(2, device=device, dtype=dtype).dtype, dtype)


instantiate_parametrized_tests(TestSample)
instantiate_device_type_tests(TestDevices, globals())

if __name__ == "__main__":
    run_tests()
