import 'reflect-metadata';
import { applyDecorators, type Type } from '@nestjs/common';
import { Type as TransformedTo } from 'class-transformer';
import { IsObject } from 'class-validator';

const NESTED_SHAPES = Symbol('nested shapes');

/** The field is an object of another class of rules, which ShapePipe judges field by field. */
export function IsShape(shape: () => Type): PropertyDecorator {
  const declare: PropertyDecorator = (target, field) => {
    const known = shapesOf(target);
    Reflect.defineMetadata(NESTED_SHAPES, new Map([...known, [String(field), shape]]), target);
  };
  return applyDecorators(IsObject(), TransformedTo(shape), declare);
}

/** The classes of those fields of a class that are objects, by the field. */
export function nestedShapesOf(shape: Type): ReadonlyMap<string, Type> {
  const known = shapesOf(shape.prototype as object);
  return new Map([...known].map(([field, nested]) => [field, nested()]));
}

function shapesOf(target: object): ReadonlyMap<string, () => Type> {
  const known: unknown = Reflect.getMetadata(NESTED_SHAPES, target);
  return (known ?? new Map()) as ReadonlyMap<string, () => Type>;
}
