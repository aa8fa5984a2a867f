import { authorizeMerchant } from "../document.ts";
import { successProblems, unless } from "../judge-response.ts";
import type { Point } from "../point.ts";
import { shapeErrors } from "../shape-errors.ts";

/**
 * User name and password of HTTP Basic. The user name is the public id that a key of Duba contains, or for the
 * sandbox's own key the e-mail of its account.
 */
export function basicOf(key: string): string {
  const name = /^duba_(?:test|live)_(\w{12})_/.exec(key)?.[1] ?? "sandbox@example.com";
  return btoa(`${name}:${key}`);
}

export const tokenPoint: Point = {
  id: "authorizeMerchant.token",
  part: "duba",
  needs: ["key"],
  sentence: "The key buys a Bearer token for some hours. `expires_at` is YYYY-MM-DD HH:MM:SS in UTC.",
  check: async (session) => {
    const response = await session.call(authorizeMerchant, {
      body: "{}",
      authorization: `Basic ${basicOf(session.key)}`,
    });
    const problems = successProblems(response);
    if (problems.length > 0) return problems;
    const found = shapeErrors(authorizeMerchant.answer, response.json).map(({ sentence }) => sentence);
    if (found.length > 0) return found;
    const { token } = response.json!.data as { token: { expires_at: string } };
    const hours = (Date.parse(`${token.expires_at.replace(" ", "T")}Z`) - Date.now()) / 3_600_000;
    return unless(hours > 2.9, "The token ends within 3 hours, or `expires_at` is not in UTC.");
  },
};
