"""OnnxModel: the result of an export."""

import os
from typing import IO, Any

from .. import _C
from ..export import ExportedProgram

__all__ = ["OnnxModel"]


class OnnxModel:
    """A model in memory that can be saved, read or passed to a session.

    >>> from opwright import onnx
    >>> model = onnx.export(lambda x, y: x @ y, (ow.ones(2, 3), ow.ones(3, 2)))
    >>> model.input_names
    ['x', 'y']
    >>> type(model.bytes())
    <class 'bytes'>
    """

    def __init__(self, model: _C.OnnxModel, program: ExportedProgram):
        self._model = model
        self._program = program

    def save(self, destination: str | os.PathLike[str] | IO[bytes]) -> None:
        """Write the model to a path or an open file.

        External tensors go to a file next to it, `<path>.data`.

        >>> import io
        >>> from opwright import onnx
        >>> file = io.BytesIO()
        >>> model = onnx.export(lambda x: x + 1, (ow.ones(2),))
        >>> model.save(file)
        >>> file.getvalue() == model.bytes()
        True
        """
        if isinstance(destination, (str, os.PathLike)):
            self._model.save(os.fspath(destination))
        elif hasattr(destination, "write"):
            destination.write(self.bytes())
        else:
            raise TypeError(
                "onnx: a model is saved to a path or to a file that is open for writing bytes, "
                f"got {type(destination).__name__}"
            )

    def bytes(self) -> bytes:
        """Return the model as a ModelProto's bytes; ValueError above 2 GB.

        >>> from opwright import onnx
        >>> len(onnx.export(lambda x: x + 1, (ow.ones(2),)).bytes()) > 50
        True
        """
        return self._model.bytes()

    def SerializeToString(self) -> "bytes":  # noqa: N802
        """Return the same as `bytes`, under the name of ModelProto's method.

        >>> from opwright import onnx
        >>> model = onnx.export(lambda x: x + 1, (ow.ones(2),))
        >>> model.SerializeToString() == model.bytes()
        True
        """
        return self._model.bytes()

    def text(self) -> str:
        """Return the model as text: one line for each node.

        >>> from opwright import onnx
        >>> "Relu" in onnx.export(lambda x: x.relu(), (ow.ones(2),)).text()
        True
        """
        return str(self._model)

    @property
    def input_names(self) -> list[str]:
        """The names of the inputs, in order.

        >>> from opwright import onnx
        >>> onnx.export(lambda x, y: x + y, (ow.ones(2), ow.ones(2))).input_names
        ['x', 'y']
        """
        return self._model.input_names

    @property
    def output_names(self) -> list[str]:
        """The names of the outputs, in order.

        >>> from opwright import onnx
        >>> onnx.export(lambda x: x + 1, (ow.ones(2),), output_names=["y"]).output_names
        ['y']
        """
        return self._model.output_names

    @property
    def exported_program(self) -> ExportedProgram:
        """The program that the model was converted from.

        >>> from opwright import onnx
        >>> onnx.export(lambda x: x + 1, (ow.ones(2),)).exported_program(ow.ones(2))
        tensor([2., 2.])
        """
        return self._program

    @property
    def model_proto(self) -> Any:
        """The model as an object of the `onnx` package, which must be installed.

        >>> from opwright import onnx
        >>> model = onnx.export(lambda x: x + 1, (ow.ones(2),))
        >>> [node.op_type for node in model.model_proto.graph.node]
        ['Add']
        """
        import onnx

        return onnx.load_model_from_string(self.bytes())

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        inputs, outputs = ", ".join(self.input_names), ", ".join(self.output_names)
        return f"OnnxModel(({inputs}) -> ({outputs}))"
