// Opens models as netron's page does, without the page: prints what it would show, as JSON.
//
//   node --preserve-symlinks open_in_netron.mjs <folder of netron's files> <model> ...
//
// netron finds the format by the file's content, reads the model and makes the graph that it draws.

import * as fs from 'node:fs';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';

const folder = process.argv[2];
const load = (name) => import(pathToFileURL(path.join(folder, name)));
const { ModelFactoryService } = await load('view.js');
const { BinaryStream } = await load('base.js');

const raise = (error) => {
    throw error;
};

// What the page is to netron.
const host = {
    type: 'Test',
    require: (id) => load(`${id}.js`),
    asset: (file) => fs.promises.readFile(path.join(folder, file), 'utf-8'),
    exception: raise,
    event: () => {},
};

// What a file is to netron.
const file = (name) => ({
    identifier: path.basename(name),
    stream: new BinaryStream(new Uint8Array(fs.readFileSync(name))),
    entries: new Map(),
    asset: host.asset,
    require: host.require,
    error: raise,
    fetch: async (other) =>
        new BinaryStream(new Uint8Array(fs.readFileSync(path.join(path.dirname(name), other)))),
});

const show = (value) => ({
    name: value.name,
    type: value.type ? value.type.toString() : null,
    is_initializer: Boolean(value.initializer),
});

const show_arguments = (list) => list.flatMap((argument) => argument.value.map(show));

const show_node = (node) => ({
    type: node.type.name,
    domain: node.type.module,
    inputs: show_arguments(node.inputs),
    outputs: show_arguments(node.outputs),
    attributes: Object.fromEntries(
        node.attributes.map((each) => [each.name, `${each.type}: ${each.value}`])),
});

const show_model = (model) => {
    const [graph] = model.modules;
    return {
        format: model.format,
        producer: model.producer,
        imports: model.imports,
        metadata: Object.fromEntries(model.metadata.map((each) => [each.name, each.value])),
        functions: model.functions.map((each) => `${each.module}.${each.name}`),
        graph: graph.name,
        inputs: show_arguments(graph.inputs),
        outputs: show_arguments(graph.outputs),
        nodes: graph.nodes.map(show_node),
    };
};

const shown = [];
for (const name of process.argv.slice(3)) {
    const service = new ModelFactoryService(host);
    shown.push(show_model(await service.open(file(name))));
}
process.stdout.write(JSON.stringify(shown));
