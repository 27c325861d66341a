/** The part of a schema that speaks of an object as a whole. */
export interface WholeShape {
  readonly additionalProperties?: false;
  readonly minProperties?: number;
  readonly not?: object;
}

const wholeShapes = new Map<string, WholeShape>();

/** Describes a class of a request body as a whole, which the decorators of its fields cannot. */
export function Whole(shape: WholeShape): ClassDecorator {
  return (target) => void wholeShapes.set(target.name, shape);
}

/** What was described so, by the name of the class. */
export function describedWholes(): ReadonlyMap<string, WholeShape> {
  return wholeShapes;
}
