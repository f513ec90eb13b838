import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import ts from 'typescript';

/** One TypeScript file. `imports` are repository paths; the `lines` of each function are its length. */
export interface SourceFile {
  readonly path: string;
  readonly lines: number;
  readonly imports: readonly string[];
  readonly functions: readonly { readonly name: string; readonly lines: number }[];
}

/** Paths of the files that match the patterns and are tracked by git, or untracked and not ignored. */
export function trackedFiles(root: string, ...patterns: string[]): string[] {
  const output = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...patterns], {
    cwd: root,
    encoding: 'utf8',
  });
  return output.split('\n').filter((path) => path !== '');
}

/** Parses files without type information. @param paths - relative to root; all files an import can resolve to */
export function parseFiles(root: string, paths: readonly string[]): SourceFile[] {
  const known = new Set(paths);
  return paths.map((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    const tree = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
    return {
      path,
      lines: text.split('\n').length - 1,
      imports: [...new Set(importsOf(tree).flatMap((name) => resolveImport(path, name, known) ?? []))],
      functions: functionsOf(tree),
    };
  });
}

function importsOf(tree: ts.SourceFile): string[] {
  return tree.statements.flatMap((statement) => {
    const isImport = ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement);
    const from = isImport ? statement.moduleSpecifier : undefined;
    return from && ts.isStringLiteral(from) ? [from.text] : [];
  });
}

function resolveImport(from: string, name: string, known: ReadonlySet<string>): string | undefined {
  const lib = /^@donorlens\/(.+)$/.exec(name)?.[1];
  const base = lib ? `libs/${lib}/src/index` : name.startsWith('.') ? posix.join(dirname(from), name) : undefined;
  if (base === undefined) return undefined;
  return [base, `${base}.ts`, `${base}.tsx`, `${base}/index.ts`].find((path) => known.has(path));
}

function functionsOf(tree: ts.SourceFile): { name: string; lines: number }[] {
  const found: { name: string; lines: number }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const [start, end] = [node.getStart(), node.getEnd()].map((at) => tree.getLineAndCharacterOfPosition(at).line);
      found.push({ name: node.name?.getText() ?? '(anonymous)', lines: end - start + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}
