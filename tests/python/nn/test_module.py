"""Module: attributes, names, iteration, state."""

import copy
import pickle

import opwright as ow
import pytest
from opwright import nn


class Leaf(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(ow.ones(2))
        self.register_buffer("mean", ow.zeros(2))
        self.register_buffer("scratch", ow.zeros(3), persistent=False)

    def forward(self, x, scale=1.0):
        return x * self.weight * scale


class Tree(nn.Module):
    def __init__(self):
        super().__init__()
        self.left = Leaf()
        self.right = Leaf()
        self.bias = nn.Parameter(ow.zeros(1))

    def forward(self, x):
        return self.left(x) + self.right(x) + self.bias


class Forgetful(nn.Module):
    def __init__(self):
        self.weight = nn.Parameter(ow.ones(2))


class Quiet(nn.Module):
    def __init__(self):
        pass

    def forward(self, x):
        return x


# ---- attributes ----


def test_a_parameter_that_is_assigned_is_listed_and_found_by_its_name():
    leaf = Leaf()

    assert leaf.weight is next(leaf.parameters())


def test_a_parameter_that_was_replaced_is_listed_once():
    leaf = Leaf()

    leaf.weight = nn.Parameter(ow.zeros(3))

    assert [tuple(each.shape) for each in leaf.parameters()] == [(3,)]


def test_a_parameter_takes_the_place_of_a_buffer_and_of_an_attribute():
    leaf = Leaf()
    leaf.plain = 1

    leaf.mean = nn.Parameter(ow.ones(2))
    leaf.plain = nn.Parameter(ow.ones(2))

    assert list(leaf._parameters) == ["weight", "mean", "plain"]
    assert list(leaf.state_dict()) == ["weight", "mean", "plain"]


def test_none_keeps_the_place_of_a_parameter():
    leaf = Leaf()

    leaf.weight = None

    assert leaf.weight is None
    assert list(leaf.state_dict()) == ["mean"]


def test_a_plain_tensor_cannot_be_assigned_to_a_parameter():
    with pytest.raises(TypeError, match="'weight' is a parameter: it can be set to an"):
        Leaf().weight = ow.ones(2)


def test_something_else_cannot_be_assigned_to_a_module_or_a_buffer():
    with pytest.raises(TypeError, match="'left' is a module"):
        Tree().left = 1
    with pytest.raises(TypeError, match="'mean' is a buffer"):
        Leaf().mean = 1


def test_a_tensor_can_be_assigned_to_a_buffer():
    leaf = Leaf()

    leaf.mean = ow.ones(2)

    assert leaf.state_dict()["mean"].tolist() == [1.0, 1.0]


def test_a_plain_tensor_is_an_attribute_and_no_part_of_the_state():
    leaf = Leaf()

    leaf.plain = ow.ones(2)

    assert list(leaf.state_dict()) == ["weight", "mean"]


def test_assigning_before_the_constructor_of_module_says_what_to_call():
    with pytest.raises(AttributeError, match=r"call super\(\).__init__\(\) first"):
        Forgetful()
    with pytest.raises(AttributeError, match=r"call super\(\).__init__\(\) in its constructor"):
        Quiet()(1)


def test_an_unknown_attribute_is_named_with_the_class():
    with pytest.raises(AttributeError, match="'Leaf' object has no attribute 'nothing'"):
        _ = Leaf().nothing


def test_deleting_removes_parameters_buffers_and_modules():
    tree = Tree()

    del tree.left
    del tree.bias
    del tree.right.mean

    assert list(tree.state_dict()) == ["right.weight"]


def test_dir_has_the_names_of_parameters_buffers_and_modules():
    assert {"left", "bias", "forward"} <= set(dir(Tree()))
    assert {"weight", "mean"} <= set(dir(Leaf()))


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("", KeyError, "cannot be empty"),
        ("a.b", KeyError, "cannot have a dot"),
        (3, TypeError, "must be a string, got int"),
        ("forward", KeyError, "has an attribute 'forward' already"),
    ],
)
def test_a_bad_name_is_refused(name, error, message):
    with pytest.raises(error, match=message):
        Leaf().register_buffer(name, ow.ones(1))
    with pytest.raises(error, match=message):
        Leaf().register_parameter(name, nn.Parameter(ow.ones(1)))
    with pytest.raises(error, match=message):
        Leaf().add_module(name, Leaf())


def test_what_is_registered_must_have_the_right_type():
    with pytest.raises(TypeError, match="parameter 'x' must be an opwright"):
        Leaf().register_parameter("x", ow.ones(1))
    with pytest.raises(TypeError, match="buffer 'x' must be a tensor or None, got int"):
        Leaf().register_buffer("x", 1)
    with pytest.raises(TypeError, match=r"module 'x' must be an opwright.nn.Module or None"):
        Leaf().add_module("x", 1)


def test_a_module_without_forward_says_so():
    with pytest.raises(NotImplementedError, match="Module has no forward"):
        nn.Module()(1)


def test_a_call_hands_over_keyword_arguments():
    assert Leaf()(ow.ones(2), scale=3.0).tolist() == [3.0, 3.0]


# ---- iteration ----


def test_modules_are_named_by_their_paths():
    assert [name for name, _ in Tree().named_modules()] == ["", "left", "right"]
    assert [name for name, _ in Tree().named_children()] == ["left", "right"]


def test_own_parameters_come_before_those_of_children():
    names = [name for name, _ in Tree().named_parameters()]

    assert names == ["bias", "left.weight", "right.weight"]


def test_names_get_the_prefix():
    names = [name for name, _ in Tree().named_parameters(prefix="model")]

    assert names == ["model.bias", "model.left.weight", "model.right.weight"]


def test_without_recursion_there_are_only_own_parameters_and_buffers():
    assert [name for name, _ in Tree().named_parameters(recurse=False)] == ["bias"]
    assert list(Tree().buffers(recurse=False)) == []


def test_a_shared_parameter_and_a_shared_module_are_yielded_once():
    tree = Tree()
    tree.right.weight = tree.left.weight
    tree.again = tree.left

    assert [name for name, _ in tree.named_parameters()] == ["bias", "left.weight"]
    assert [name for name, _ in tree.named_modules()] == ["", "left", "right"]
    assert len(list(tree.children())) == 2


def test_duplicates_are_yielded_when_asked_for():
    tree = Tree()
    tree.again = tree.left

    names = [name for name, _ in tree.named_parameters(remove_duplicate=False)]

    assert names == ["bias", "left.weight", "right.weight", "again.weight"]


def test_buffers_are_named_by_their_paths():
    names = [name for name, _ in Tree().named_buffers()]

    assert names == ["left.mean", "left.scratch", "right.mean", "right.scratch"]


def test_parts_are_found_by_their_paths():
    tree = Tree()

    assert tree.get_submodule("left") is tree.left
    assert tree.get_submodule("") is tree
    assert tree.get_parameter("left.weight") is tree.left.weight
    assert tree.get_buffer("right.mean") is tree.right.mean


def test_a_path_that_leads_nowhere_is_named():
    with pytest.raises(AttributeError, match=r"no module 'left\.x': Leaf has no attribute `x`"):
        Tree().get_submodule("left.x")
    with pytest.raises(AttributeError, match=r"'left\.mean': `mean` is not an nn\.Parameter"):
        Tree().get_parameter("left.mean")
    with pytest.raises(AttributeError, match="Tree has no buffer 'bias'"):
        Tree().get_buffer("bias")


def test_apply_calls_children_first():
    seen = []

    assert isinstance(Tree().apply(lambda module: seen.append(type(module).__name__)), Tree)
    assert seen == ["Leaf", "Leaf", "Tree"]


# ---- state ----


def test_a_state_has_parameters_and_persistent_buffers_by_path():
    assert list(Tree().state_dict()) == [
        "bias",
        "left.weight",
        "left.mean",
        "right.weight",
        "right.mean",
    ]


def test_a_state_shares_memory_with_the_module_and_requires_no_grad():
    leaf = Leaf()
    state = leaf.state_dict()

    state["weight"].fill_(5)

    assert leaf.weight.tolist() == [5.0, 5.0]
    assert not state["weight"].requires_grad
    assert leaf.state_dict(keep_vars=True)["weight"] is leaf.weight


def test_a_state_is_put_into_the_given_dict_under_the_prefix():
    state = {}

    Leaf().state_dict(destination=state, prefix="leaf.")

    assert list(state) == ["leaf.weight", "leaf.mean"]


def test_a_state_that_is_loaded_is_copied():
    leaf, values = Leaf(), ow.tensor([1.0, 2.0])
    weight = leaf.weight

    leaf.load_state_dict({"weight": values, "mean": ow.ones(2)})
    values.fill_(9)

    assert leaf.weight is weight
    assert weight.tolist() == [1.0, 2.0]
    assert weight.requires_grad


def test_a_state_that_is_assigned_is_taken_as_it_is():
    leaf, values = Leaf(), ow.tensor([1.0, 2.0], dtype=ow.float64)

    leaf.load_state_dict({"weight": values, "mean": ow.ones(2)}, assign=True)

    assert isinstance(leaf.weight, nn.Parameter)
    assert leaf.weight.data_ptr() == values.data_ptr()
    assert leaf.weight.dtype == ow.float64


def test_the_dtype_of_the_module_is_kept_when_a_state_is_loaded():
    leaf = Leaf()

    leaf.load_state_dict({name: each.double() for name, each in Leaf().state_dict().items()})

    assert leaf.weight.dtype == ow.float32


def test_a_state_that_does_not_fit_is_refused_with_all_that_is_wrong():
    state = {"bias": ow.zeros(2), "left.weight": 3, "other": ow.zeros(1)}

    with pytest.raises(RuntimeError) as error:
        Tree().load_state_dict(state)

    assert str(error.value) == (
        "Error(s) in loading state_dict for Tree:\n"
        '  Missing key(s) in state_dict: "left.mean", "right.weight", "right.mean".\n'
        '  Unexpected key(s) in state_dict: "other".\n'
        "  size mismatch for bias: copying a param with shape [2] from checkpoint, the shape in "
        "current model is [1].\n"
        '  While copying the parameter named "left.weight", expected torch.Tensor or Tensor-like '
        "object from checkpoint but received int"
    )


def test_a_state_that_does_not_fit_changes_nothing():
    leaf = Leaf()

    with pytest.raises(RuntimeError, match="size mismatch for mean"):
        leaf.load_state_dict({"weight": ow.zeros(2), "mean": ow.zeros(5)})

    assert leaf.weight.tolist() == [1.0, 1.0]


def test_without_strict_the_keys_that_do_not_match_are_returned():
    keys = Leaf().load_state_dict({"weight": ow.zeros(2), "other": ow.zeros(1)}, strict=False)

    assert keys.missing_keys == ["mean"]
    assert keys.unexpected_keys == ["other"]


def test_sizes_that_differ_are_refused_without_strict_too():
    with pytest.raises(RuntimeError, match=r"size mismatch for weight: .* shape \[3\]"):
        Leaf().load_state_dict({"weight": ow.zeros(3)}, strict=False)


def test_a_state_must_be_a_mapping():
    with pytest.raises(TypeError, match="Expected state_dict to be dict-like, got list"):
        Leaf().load_state_dict([1])


# ---- copies ----


def test_a_deep_copy_has_its_own_memory_and_keeps_sharing():
    tree = Tree()
    tree.right.weight = tree.left.weight

    twin = copy.deepcopy(tree)
    twin.left.weight.detach().fill_(7)

    assert twin.right.weight is twin.left.weight
    assert tree.left.weight.tolist() == [1.0, 1.0]
    assert isinstance(twin.left.weight, nn.Parameter)


def test_a_shallow_copy_shares_tensors_and_has_its_own_list_of_them():
    leaf = Leaf()

    twin = copy.copy(leaf)
    twin.extra = nn.Parameter(ow.ones(1))

    assert twin.weight is leaf.weight
    assert list(leaf.state_dict()) == ["weight", "mean"]


def test_a_pickled_module_comes_back_with_its_state():
    model = nn.Sequential(nn.LayerNorm(3), nn.ReLU()).eval()
    model[0].weight.detach().fill_(2)

    twin = pickle.loads(pickle.dumps(model))

    assert repr(twin) == repr(model)
    assert twin(ow.arange(3.0)).tolist() == model(ow.arange(3.0)).tolist()
    assert not twin[0].training
    assert twin[0].weight.requires_grad


# ---- the entire tree ----


def test_train_and_eval_reach_all_modules():
    tree = Tree().eval()

    assert not any(module.training for module in tree.modules())
    assert all(module.training for module in tree.train().modules())


def test_the_mode_of_train_must_be_a_bool():
    with pytest.raises(ValueError, match="mode must be a bool, got 1"):
        Tree().train(1)


def test_requires_grad_is_set_for_all_parameters():
    tree = Tree().requires_grad_(False)

    assert not any(each.requires_grad for each in tree.parameters())


def test_zero_grad_works_where_there_are_no_gradients():
    tree = Tree()

    tree.zero_grad()

    assert all(each.grad is None for each in tree.parameters())


def test_a_pass_with_parameters_that_require_grad_is_recorded():
    result = Tree()(ow.ones(2))

    assert result.tolist() == [2.0, 2.0]
    assert result.requires_grad
