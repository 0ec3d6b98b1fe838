package dev.sluice.server.admin;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A board for one server, which ends with it. */
final class LocalBoard implements RuleBoard {
    private final int mostVersions;
    private final List<RuleVersion> versions = new ArrayList<>();
    private final Map<String, KeyHold> holds = new LinkedHashMap<>();
    private long changes;

    LocalBoard(int mostVersions) {
        this.mostVersions = mostVersions;
    }

    @Override
    public Glance glance() {
        return new Glance(versions.isEmpty() ? "" : versions.get(0).id(), Long.toString(changes));
    }

    @Override
    public List<RuleVersion> versions() {
        return List.copyOf(versions);
    }

    @Override
    public boolean post(String after, RuleVersion version) {
        if (!glance().version().equals(after)) {
            return false;
        }
        versions.add(0, version);
        if (versions.size() > mostVersions) {
            versions.remove(mostVersions);
        }
        return true;
    }

    @Override
    public Map<String, KeyHold> holds() {
        return Map.copyOf(holds);
    }

    @Override
    public void hold(KeyHold hold) {
        holds.put(hold.name(), hold);
        changes++;
    }

    @Override
    public void drop(String name) {
        holds.remove(name);
        changes++;
    }

    @Override
    public void close() {
        versions.clear();
    }
}
