/** What each path has: exact paths first, then those with members, such as `/requests/{id}`. */
export class Routes<Value> {
  readonly #exact = new Map<string, Value>();
  readonly #withMembers: { form: RegExp; value: Value }[] = [];

  add(path: string, value: Value): void {
    if (!path.includes("{")) this.#exact.set(path, value);
    else this.#withMembers.push({ form: formOf(path), value });
  }

  /** `members`: as they stand in the path. */
  find(path: string): { value: Value; members: Record<string, string> } | undefined {
    const value = this.#exact.get(path);
    if (value !== undefined) return { value, members: {} };
    for (const { form, value } of this.#withMembers) {
      const match = form.exec(path);
      if (match) return { value, members: match.groups! };
    }
    return undefined;
  }
}

function formOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(".", "\\.").replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`);
}
