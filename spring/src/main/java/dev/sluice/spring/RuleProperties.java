package dev.sluice.spring;

import dev.sluice.OnFailure;
import dev.sluice.rules.Rule;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The fields of a rule below {@code sluice.rules}, from which editors complete them. Rules are read by the reader of rule
 * files, and not bound to this.
 *
 * @param name The name of the rule: up to 100 letters, digits, dots, dashes and underscores.
 * @param when Conditions on attributes, all of which a request must meet, such as path: /login and method: POST. Each is a
 *     value, a glob such as /api/**, a network, a list of these, or { not: … }.
 * @param key The attributes that make the key, such as [ip]. With none, all requests share one counter.
 * @param missingKey What to do with a request that lacks an attribute of the key. Default: skip.
 * @param limits The limits, such as 5 per 1m sliding-log, 10 per 1s token-bucket burst=20, or 20 at once.
 * @param onExceed What happens to a request over the limit: reject, wait up to 2s, degrade or shadow. Default: reject.
 * @param onStoreFailure How to decide while Redis does not answer. Default: local.
 * @param batch Whether permits are fetched ahead from Redis for keys that come very often. Default: off.
 * @param lease After how long permits of a concurrency limit free themselves, such as 30s.
 * @param priority The share of the limits that requests of a priority class may use, such as background: 50%.
 * @param shedFrom From which part of the limits on requests are denied at random, such as 90%.
 * @param overrides Other limits for some keys, such as { ip: 198.51.100.0/24, limits: unlimited }.
 * @param ipv6Prefix How many bits of an IPv6 address are used in keys. Default: 64.
 */
public record RuleProperties(
        String name,
        Map<String, Object> when,
        List<String> key,
        Rule.MissingKey missingKey,
        List<String> limits,
        String onExceed,
        OnFailure onStoreFailure,
        Rule.Batch batch,
        Duration lease,
        Map<String, String> priority,
        String shedFrom,
        List<Map<String, Object>> overrides,
        Integer ipv6Prefix) {}
