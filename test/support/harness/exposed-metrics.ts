import type { HttpClient } from './http-client.js';

/** One metric of `/metrics`. */
export interface ExposedMetric {
  readonly name: string;
  readonly type: string;
  /** The names of its series in Prometheus. A histogram has several. */
  readonly series: readonly string[];
  /** The labels of all its samples; empty without samples. */
  readonly labels: readonly string[];
}

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** One scrape of a service. */
export class Scrape {
  readonly metrics: readonly ExposedMetric[];
  readonly #samples: readonly Sample[];

  constructor(text: string) {
    this.#samples = [...text.matchAll(/^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/gm)].map(
      ([, name = '', labels = '', value]) => ({
        name,
        labels: Object.fromEntries(
          [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', is = '']) => [label, is]),
        ),
        value: Number(value),
      }),
    );
    this.metrics = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => {
      const series =
        type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
      const labels = this.#samples
        .filter((sample) => series.includes(sample.name))
        .flatMap((sample) => Object.keys(sample.labels))
        .filter((label) => type !== 'histogram' || label !== 'le');
      return { name, type, series, labels: [...new Set(labels)] };
    });
  }

  /** Gives the sum of a metric's samples with these labels; undefined without samples. */
  value(name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
    const found = this.#samples.filter(
      (sample) =>
        sample.name === name &&
        Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
    );
    return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
  }
}

/** Scrapes a service. @throws Error when the answer has no metrics. */
export async function scrape(client: HttpClient): Promise<Scrape> {
  const { status, text } = await client.as(undefined).get('/metrics');
  if (status !== 200) throw new Error(`/metrics answered ${status}: ${text}`);
  return new Scrape(text);
}
