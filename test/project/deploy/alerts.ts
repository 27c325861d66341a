import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

interface RuleFile {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Alert[] }[];
}

/** The alerting rules in the form of the file, complete or not. */
export function readAlerts(): Partial<Alert>[] {
  const file = parse(readFileSync('deploy/alerts.yml', 'utf8')) as RuleFile;
  return file.groups.flatMap(({ rules }) => rules);
}
