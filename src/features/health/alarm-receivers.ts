import type { Rank } from "../../commands/alarm.ts";
import type { Config } from "../../config/read-config.ts";
import { settingOf } from "../../config/read-config.ts";
import { alarmSettings } from "./alarm-settings.ts";

/** A URL that receives a message about each alarm of these ranks. */
export interface AlarmReceiver {
  url: string;
  ranks: readonly Rank[];
}

/** Returns each URL once, with all ranks that the settings give it. */
export function alarmReceivers(config: Config): AlarmReceiver[] {
  const { alarmUrl, alarmUrl1, alarmUrl2, alarmUrl3 } = alarmSettings;
  const ranks: readonly (readonly [urls: readonly string[], ranks: readonly Rank[]])[] = [
    [settingOf(config, alarmUrl), [1, 2, 3]],
    [settingOf(config, alarmUrl1), [1]],
    [settingOf(config, alarmUrl2), [2]],
    [settingOf(config, alarmUrl3), [3]],
  ];
  const wanted = ranks.flatMap(([urls, ranks]) => urls.map((url) => ({ url, ranks })));
  return [...Map.groupBy(wanted, ({ url }) => url)].map(([url, all]) => ({
    url,
    ranks: [...new Set(all.flatMap(({ ranks }) => ranks))].sort(),
  }));
}
