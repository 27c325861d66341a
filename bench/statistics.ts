export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [below = NaN, above = NaN] = [
    sorted[Math.floor((sorted.length - 1) / 2)],
    sorted[Math.ceil((sorted.length - 1) / 2)],
  ];
  return (below + above) / 2;
}
