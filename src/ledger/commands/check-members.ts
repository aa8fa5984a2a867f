import type { Check, CheckInput } from "../../checks/check.ts";
import { checkInputOf, checks } from "../../checks/index.ts";
import { type CheckKind, checkKinds } from "../../declare/check-kind.ts";
import { type Form, memberForm } from "../../declare/command/forms.ts";
import { formed, InputError } from "../../declare/command/read-texts.ts";
import Type from "../../declare/schema/type.ts";

/** The request members that a command asks for, with the person's number under the name `number`. */
type Asked = (check: Check) => readonly string[];

export const subjectOnly: Asked = ({ subject }) => subject;
export const wholeRequest: Asked = ({ request }) => Object.keys(request);

/**
 * The name of a member in a command. `name` is already a vendor's name in commands, so the person's name becomes
 * `person_name`.
 */
const called = (name: string) => (name === "name" ? "person_name" : name);

const all = Object.values(checks);
const numberForms = all.map(({ kind, request }) => memberForm(request[kind]!));

/** A number of any kind, as typed. */
export const anyNumber: Form<string> = {
  form: [...new Set(numberForms.map(({ form }) => form))].join(" or "),
  read: (text) => (numberForms.some(({ read }) => read(text)) ? text : undefined),
};

/**
 * The members besides the number that `asked` names for any kind of check, for a command with a member `kind`. They are
 * private: never on a command line.
 */
export function besideNumber(asked: Asked, options: { with?: string } = {}) {
  const needed = all.flatMap((check) => asked(check).filter((name) => name !== check.kind));
  return Object.fromEntries(
    [...new Set(needed)].map((name) => {
      const { label } = all.find(({ request }) => request[name])!.request[name]!;
      const description = `${label[0]!.toUpperCase()}${label.slice(1)} of the person.`;
      const kinds = checkKinds.filter((kind) => asked(checks[kind]).includes(name));
      const form = { form: label, read: (text: string) => text };
      return [called(name), Type.Optional(formed<string>(form, { description, private: true, kinds, ...options }))];
    }),
  );
}

/** Builds the check input from a command's members. Throws an `InputError` that repeats no value. */
export function inputFrom(
  { kind, number, ...given }: { kind: CheckKind; number: string } & Readonly<Record<string, unknown>>,
  asked: Asked,
): CheckInput {
  const check = checks[kind];
  const request = Object.fromEntries(asked(check).map((name) => [name, check.request[name]!]));
  const texts: Record<string, string> = {};
  const problems = Object.entries(request).flatMap(([name, member]) => {
    const { form, read } = memberForm(member);
    const field = name === kind ? "number" : called(name);
    const text = name === kind ? number : given[field];
    if (typeof text !== "string" || text === "") return [{ field, message: "is required" }];
    texts[name] = text;
    return read(text) === undefined ? [{ field, message: `must be ${form}` }] : [];
  });
  if (problems.length > 0) throw new InputError(problems);
  return checkInputOf({ kind, request }, texts);
}
