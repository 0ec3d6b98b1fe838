package dev.sluice.server.ruleset;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The versions and overrides of a server that shares them with no other; they are gone when it stops. */
final class LocalRules implements SharedRules {
    private final int maxVersions;
    private final List<RuleVersion> versions = new ArrayList<>();
    private final Map<String, TemporaryOverride> overrides = new LinkedHashMap<>();
    private long changes;

    LocalRules(int maxVersions) {
        this.maxVersions = maxVersions;
    }

    @Override
    public State state() {
        return new State(versions.isEmpty() ? "" : versions.get(0).id(), Long.toString(changes));
    }

    @Override
    public List<RuleVersion> versions() {
        return List.copyOf(versions);
    }

    @Override
    public boolean publish(String after, RuleVersion version) {
        if (!state().version().equals(after)) {
            return false;
        }
        versions.add(0, version);
        if (versions.size() > maxVersions) {
            versions.remove(maxVersions);
        }
        return true;
    }

    @Override
    public Map<String, TemporaryOverride> overrides() {
        return Map.copyOf(overrides);
    }

    @Override
    public void put(TemporaryOverride override) {
        overrides.put(override.name(), override);
        changes++;
    }

    @Override
    public void remove(String name) {
        overrides.remove(name);
        changes++;
    }

    @Override
    public void close() {
        versions.clear();
    }
}
