import type { PipeTransform, Type } from '@nestjs/common';
import { Refusal } from '../kernel/errors.js';
import { type Issue, reported, ShapePipe } from './shape.pipe.js';

/**
 * Validates a body whose only field is a list of objects of one class. Returns the items as instances of the class.
 * The path of an issue contains the index of the item, such as `requests.3.key`.
 */
export class ShapesPipe<Shape extends object> implements PipeTransform<unknown, Shape[]> {
  readonly #item: ShapePipe<Shape>;

  constructor(
    private readonly field: string,
    shape: Type<Shape>,
    private readonly most: number,
    /** Returns the issues of an item as a whole, besides the issues of its fields. */
    private readonly judge: (item: Shape) => readonly Issue[] = () => [],
  ) {
    this.#item = new ShapePipe(shape, 'refused');
  }

  /** @throws Refusal that names the fields at fault of all items. `reported` limits the number of issues. */
  transform(value: unknown): Shape[] {
    const { [this.field]: items, ...others } = value as Readonly<Record<string, unknown>>;
    const issues: Issue[] = Object.keys(others).map((path) => ({
      path,
      message: 'is not a field of this request',
    }));
    if (!Array.isArray(items) || items.length === 0 || items.length > this.most) {
      const message = `must be an array of 1 to ${this.most} objects`;
      throw invalid([...issues, { path: this.field, message }]);
    }
    const shapes = items.map((item: unknown, index) =>
      this.#judged(item, `${this.field}.${index}`, issues),
    );
    if (issues.length > 0) throw invalid(issues);
    return shapes.filter((shape) => shape !== undefined);
  }

  #judged(item: unknown, path: string, issues: Issue[]): Shape | undefined {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) {
      issues.push({ path, message: 'must be an object' });
      return undefined;
    }
    const add = (found: readonly Issue[]): void => {
      issues.push(...found.map((issue) => ({ ...issue, path: `${path}.${issue.path}` })));
    };
    try {
      const shape = this.#item.transform(item);
      add(this.judge(shape));
      return shape;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      add(error.details?.issues as readonly Issue[]);
      return undefined;
    }
  }
}

function invalid(issues: readonly Issue[]): Refusal {
  return new Refusal('request-invalid', { issues: reported(issues) });
}
