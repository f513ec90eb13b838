/** Groups of operations, in the order in which the test page shows them. The longest prefix that fits is a route's group. */
const GROUPS = [
  {
    prefix: '/enrich/v1',
    name: 'Questions',
    description:
      'One name, or many records at once: age and gender of a first name at a date, ethnicity of a surname, everything about a contribution. Scope enrich:read.',
  },
  {
    prefix: '/enrich/v1/batches',
    name: 'Batches',
    description:
      'Whole files of any size: send one, ask how far it is, read the results. An example id here stands for the batch that you sent last. Scope enrich:batch.',
  },
  {
    prefix: '/data-charts/v1',
    name: 'Data and charts',
    description:
      'Presidential candidates, their committees, contributions and charts as CSV or JSON. Scope charts:read; contributions row by row need charts:rows.',
  },
  { prefix: '/ops', name: 'Operations', description: "The operators' side. Scope ops." },
  { prefix: '', name: 'Service', description: 'What the service says about itself.' },
] as const;

const holds = (prefix: string, template: string): boolean =>
  prefix === '' || template === prefix || template.startsWith(`${prefix}/`);

/** The name of a route's group. */
export function tagOf(template: string): string {
  const [group] = GROUPS.filter(({ prefix }) => holds(prefix, template)).sort(
    (a, b) => b.prefix.length - a.prefix.length,
  );
  return group.name;
}

/** The groups that some of these routes are in. */
export function tagsOf(templates: readonly string[]): { name: string; description: string }[] {
  const used = new Set(templates.map(tagOf));
  return GROUPS.filter(({ name }) => used.has(name)).map(({ name, description }) => ({ name, description }));
}
