import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../service/service';

export const run = promisify(execFile);
export const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Every variable that libs/config knows. */
export const settingNames = (): string[] =>
  [...textOf('libs/config/src/config.ts').matchAll(/^ {2}([A-Z][A-Z_]+): /gm)].map((match) => match[1]);

export interface Instruction {
  readonly word: string;
  readonly rest: string;
}

/** One FROM and the instructions after it. */
export interface Stage {
  readonly name: string;
  readonly steps: readonly Instruction[];
}

/** Parses a Dockerfile with one instruction per line, which may continue after a backslash. */
export function stagesOf(dockerfile: string): Stage[] {
  const lines = dockerfile
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const stages: { name: string; steps: Instruction[] }[] = [];
  for (const line of lines) {
    const [, word, rest] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
    if (word === 'FROM') stages.push({ name: / AS (\S+)$/.exec(rest)?.[1] ?? 'image', steps: [] });
    stages.at(-1)?.steps.push({ word, rest });
  }
  return stages;
}

export const stepsOf = (stage: Stage, word: string): string[] =>
  stage.steps.filter((step) => step.word === word).map(({ rest }) => rest);

/** Parses `A=1 B="two words"` to an object. */
export const pairsOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/(\S+?)=(?:"([^"]*)"|(\S*))/g)].map(([, name, quoted, plain]) => [name, quoted ?? plain]),
  );

/** The environment that the image sets. */
export function imageEnvironment(): Record<string, string> {
  const last = stagesOf(textOf('Dockerfile')).at(-1);
  return last ? pairsOf(stepsOf(last, 'ENV').join(' ')) : {};
}
