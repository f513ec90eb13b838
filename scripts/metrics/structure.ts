import { dirname } from 'node:path';
import type { SourceFile } from './source-files';

export const SMALL_FILE_LINES = 40;

/** Product files that exactly one other product file imports. */
export function singleImporterFiles(files: readonly SourceFile[]): SourceFile[] {
  const importers = new Map<string, number>();
  for (const { imports } of files) for (const path of imports) importers.set(path, (importers.get(path) ?? 0) + 1);
  return files.filter(({ path }) => importers.get(path) === 1);
}

/**
 * Groups of folders that import each other in a cycle, at any depth. An import between two files counts for the two
 * folders below their nearest common folder.
 * @returns one list of folder paths for each cycle
 */
export function folderCycles(files: readonly SourceFile[]): string[][] {
  const edges = new Map<string, Set<string>>();
  for (const { path, imports } of files) {
    for (const target of imports) {
      const pair = siblingFolders(path, target);
      if (!pair) continue;
      const targets = edges.get(pair[0]) ?? new Set();
      edges.set(pair[0], targets.add(pair[1]));
    }
  }
  return stronglyConnected(edges).filter((group) => group.length > 1);
}

function siblingFolders(from: string, to: string): [string, string] | undefined {
  const [a, b] = [dirname(from).split('/'), dirname(to).split('/')];
  const shared = a.findIndex((part, index) => part !== b[index]);
  if (shared < 0 || shared >= b.length) return undefined;
  return [a.slice(0, shared + 1).join('/'), b.slice(0, shared + 1).join('/')];
}

/** Tarjan's strongly connected components. */
function stronglyConnected(edges: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const groups: string[][] = [];
  const visit = (node: string): void => {
    order.set(node, order.size);
    low.set(node, order.get(node)!);
    stack.push(node);
    for (const next of edges.get(node) ?? []) {
      if (!order.has(next)) visit(next);
      if (stack.includes(next)) low.set(node, Math.min(low.get(node)!, low.get(next)!));
    }
    if (low.get(node) !== order.get(node)) return;
    groups.push(stack.splice(stack.indexOf(node)).sort());
  };
  for (const node of edges.keys()) if (!order.has(node)) visit(node);
  return groups;
}
