import type { OpenCatalogue } from "../../catalogue/catalogue.ts";
import { SourceFreshness } from "../../catalogue/responses/freshness.ts";
import type { OpenedFeature, ServingCore } from "../../commands/feature.ts";
import { type Follow, followSource } from "./sync/follow-source.ts";
import { openFollowed } from "./sync/followed-sources.ts";
import { pullOf } from "./sync/sync-settings.ts";

/** Follows the sources that the settings name. */
export async function openSources(core: ServingCore, opened: AsyncDisposableStack): Promise<OpenedFeature> {
  const { config, catalogue, log } = core;
  const { sources, ...times } = pullOf(config);
  const follows: Follow[] = [];
  for (const followed of sources) {
    const source = await openFollowed(followed, config, log);
    opened.defer(() => source.close());
    follows.push({ ...times, source, log });
  }
  const pull = await followSources(catalogue, follows);
  return { jobs: [{ name: "pull the catalogue", every: 5_000, run: (_, signal) => pull(signal) }] };
}

/**
 * Follows these sources, and returns a function that pulls from each source that is due. The catalogue's responses
 * state the age of their lists.
 */
export async function followSources(
  { publisher, tellAge }: Pick<OpenCatalogue, "publisher" | "tellAge">,
  follows: readonly Follow[],
): Promise<(signal: AbortSignal) => Promise<void>> {
  const pulls = await Promise.all(
    follows.map((follow) => {
      const age = new SourceFreshness(follow.source.name, follow.source.covers);
      tellAge(age);
      return followSource(publisher, age, follow);
    }),
  );
  return async (signal) => {
    await Promise.all(pulls.map((pull) => pull(signal)));
  };
}
