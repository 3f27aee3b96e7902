import { validate } from "convex-helpers/validators";
import { jsonToConvex, v, type ValidatorJSON } from "convex/values";
import type { Registered } from "./components.js";

type Validator = Parameters<typeof v.array>[0];
type Validators = { args: Validator; returns: Validator };

const validators = new WeakMap<Registered, Validators>();

/** Throws if a function's arguments, or what it returns, do not match its validators. */
export function check(
  registered: Registered,
  what: keyof Validators,
  name: string,
  value: unknown,
): void {
  const validator = validatorsOf(registered)[what];
  // Making errors is slow, and every member of a union may throw one. So only a failed check is
  // repeated with errors.
  if (validate(validator, value)) return;
  validate(validator, value, { throw: true, _pathPrefix: `${name} ${what}` });
}

function validatorsOf(registered: Registered): Validators {
  let found = validators.get(registered);
  if (found === undefined) {
    found = {
      args: read(registered.exportArgs()),
      returns: read(registered.exportReturns()),
    };
    validators.set(registered, found);
  }
  return found;
}

/** A validator as a function exports it, or `null`. */
function read(json: string): Validator {
  const validator = JSON.parse(json) as ValidatorJSON | null;
  return validator === null ? v.any() : toValidator(validator);
}

function toValidator(json: ValidatorJSON): Validator {
  switch (json.type) {
    case "any":
      return v.any();
    case "null":
      return v.null();
    case "number":
      return v.number();
    case "bigint":
      return v.int64();
    case "commitTs":
      return v.commitTs();
    case "boolean":
      return v.boolean();
    case "string":
      return v.string();
    case "bytes":
      return v.bytes();
    case "id":
      return v.id(json.tableName);
    case "literal":
      return v.literal(jsonToConvex(json.value) as string);
    case "array":
      return v.array(toValidator(json.value));
    case "union":
      return v.union(...json.value.map(toValidator));
    case "record":
      return v.record(
        toValidator(json.keys),
        toValidator(json.values.fieldType),
      );
    case "object":
      return v.object(
        Object.fromEntries(
          Object.entries(json.value).map(([name, { fieldType, optional }]) => {
            const field = toValidator(fieldType);
            return [name, optional ? v.optional(field) : field];
          }),
        ),
      );
    // What later versions of Convex add, the component does not use.
    default:
      throw new Error(`not simulated: ${JSON.stringify(json)}`);
  }
}
