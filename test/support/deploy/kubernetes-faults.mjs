/**
 * Reads Kubernetes objects as a JSON list and writes their errors as a JSON list: errors of the schemas, otherwise
 * unknown fields, which the schemas allow and the types do not. This is a separate process, because the package of
 * schemas has only ES modules.
 */
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import ts from 'typescript';
import * as keda from '@kubernetes-models/keda/keda.sh/v1alpha1';
import * as apps from 'kubernetes-models/apps/v1';
import * as batch from 'kubernetes-models/batch/v1';
import * as networking from 'kubernetes-models/networking.k8s.io/v1';
import * as policy from 'kubernetes-models/policy/v1';
import * as core from 'kubernetes-models/v1';

const MODELS = {
  v1: ['kubernetes-models/v1', core],
  'apps/v1': ['kubernetes-models/apps/v1', apps],
  'batch/v1': ['kubernetes-models/batch/v1', batch],
  'keda.sh/v1alpha1': ['@kubernetes-models/keda/keda.sh/v1alpha1', keda],
  'networking.k8s.io/v1': ['kubernetes-models/networking.k8s.io/v1', networking],
  'policy/v1': ['kubernetes-models/policy/v1', policy],
};

function faultsOfSchema({ apiVersion, kind, ...object }) {
  const Model = MODELS[apiVersion]?.[1][kind];
  if (Model === undefined) return [`there is no ${kind} in ${apiVersion}`];
  try {
    new Model(object).validate();
    return [];
  } catch (error) {
    return [error.message];
  }
}

/** Compiles each object as a literal of its type; the compiler reports fields that the type does not have. */
function faultsOfTypes(objects) {
  const lines = objects.map(({ apiVersion, kind, ...object }, at) => {
    const [path] = MODELS[apiVersion];
    return `export const o${at}: import('${path}').I${kind} = ${JSON.stringify({ apiVersion, kind, ...object })};`;
  });
  const file = join(import.meta.dirname, 'kubernetes-objects.ts');
  const options = { module: ts.ModuleKind.NodeNext, noEmit: true, skipLibCheck: true, strict: true, types: [] };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => name === file || fileExists(name);
  host.getSourceFile = (name, ...rest) =>
    name === file ? ts.createSourceFile(name, lines.join('\n'), ts.ScriptTarget.ES2022) : getSourceFile(name, ...rest);
  const program = ts.createProgram([file], { ...options, target: ts.ScriptTarget.ES2022 }, host);
  return ts.getPreEmitDiagnostics(program).map(({ file: source, start, messageText }) => {
    const object = objects[source?.fileName === file ? source.getLineAndCharacterOfPosition(start).line : -1];
    return `${object?.kind} ${object?.metadata?.name}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}

const objects = JSON.parse(await text(process.stdin));
const named = objects.flatMap((object) =>
  faultsOfSchema(object).map((fault) => `${object.kind} ${object.metadata?.name}: ${fault}`),
);
process.stdout.write(JSON.stringify(named.length > 0 ? named : faultsOfTypes(objects)));
