/** The part of a schema that describes an object as a whole. */
export interface WholeShape {
  readonly additionalProperties?: false;
  readonly minProperties?: number;
}

const wholeShapes = new Map<string, WholeShape>();

/** Describes the class of a request body as a whole. Decorators of fields cannot describe rules for several fields. */
export function Whole(shape: WholeShape): ClassDecorator {
  return (target) => void wholeShapes.set(target.name, shape);
}

/** Returns the descriptions that `Whole` has collected, by class name. */
export function describedWholes(): ReadonlyMap<string, WholeShape> {
  return wholeShapes;
}
