-- Twin of Concurrency.java, with one difference: what is held is leased, so that a holder that died frees its permits.
--
-- state    for each lease three doubles: when it was taken, when it expires, its permits. Leases of as many permits taken
--          at the same instant need no names: whichever of them is released or renewed, the same number is left
-- numbers  lease = how long one lasts unless it is renewed, in microseconds; 0 for ever

local function concurrency(key, capacity, lease)
  local leases, held = {}, 0
  local raw = redis.call('GET', key)
  if raw then
    for at = 1, #raw, 24 do
      local takenAt, expiresAt, permits = struct.unpack('>ddd', raw, at)
      if expiresAt > now then
        leases[#leases + 1] = { takenAt = takenAt, expiresAt = expiresAt, permits = permits }
        held = held + permits
      end
    end
  end

  local function expiryFrom(time)
    if lease == 0 then return NEVER end
    return time + lease
  end

  local function find(takenAt, permits)
    for i, each in ipairs(leases) do
      if each.takenAt == takenAt and each.permits == permits then return i end
    end
  end

  local state = { capacity = capacity }

  function state.used()
    return held
  end

  function state.admits(cost)
    return held <= capacity - cost
  end

  function state.latest()
    return ANCIENT
  end

  function state.take(time, cost)
    leases[#leases + 1] = { takenAt = time, expiresAt = expiryFrom(time), permits = cost }
    held = held + cost
  end

  function state.readyAt(cost)
    if state.admits(cost) then return now end
    table.sort(leases, function(a, b) return a.expiresAt < b.expiresAt end)
    local left = held
    for _, each in ipairs(leases) do
      left = left - each.permits
      if left <= capacity - cost then return each.expiresAt end
    end
    return NEVER
  end

  function state.freshAt()
    local freshAt = ANCIENT
    for _, each in ipairs(leases) do freshAt = math.max(freshAt, each.expiresAt) end
    return freshAt
  end

  function state.departsAt()
    return now
  end

  function state.release(takenAt, cost)
    local i = find(takenAt, cost)
    if i then
      held = held - cost
      table.remove(leases, i)
    end
  end

  state.giveBack = state.release

  function state.renew(takenAt, cost)
    local i = find(takenAt, cost)
    if i then leases[i].expiresAt = expiryFrom(now) end
  end

  function state.write()
    local packed = {}
    for i, each in ipairs(leases) do
      packed[i] = struct.pack('>ddd', each.takenAt, each.expiresAt, each.permits)
    end
    keep(key, table.concat(packed), state.freshAt())
  end

  return state
end
