// What an archive records of the results of its nodes, as torch had them: dtypes and sizes, and,
// where it matters, strides.
#pragma once

#include "opwright/pt2/archive/archive_graph.h"
#include "opwright/pt2/replay/replay.h"

namespace opwright::pt2 {

// Compares the results of a node that was replayed with what `graph` records of them, at the sizes
// of the export. ValueError that names the result and both for another dtype, rank or size: an
// operator that does not do here what it did in torch must not go unnoticed. Sizes that depend on
// data have no number at the export, and are not compared.
void check_recorded(const ArchiveGraph& graph, const ArchiveNode& node, const GraphValues& values);

// Before a node is replayed whose result depends on where the elements of a tensor are in memory
// (as_strided, sym_stride): compares the strides and offset of that tensor with what `graph`
// records. NotImplementedError that names the tensor and both if they differ, as they may for the
// result of an operator that leaves them open.
void check_recorded_layout(const ArchiveGraph& graph, const ArchiveNode& node,
                           const GraphValues& values);

}  // namespace opwright::pt2
