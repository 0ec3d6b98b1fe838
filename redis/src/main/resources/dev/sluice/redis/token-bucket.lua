-- Twin of TokenBucket.java and LeakyBucket.java: what is missing from a bucket that refills at a constant rate.
--
-- state    missing units, the instant they were last counted, the units of one permit: three doubles
-- numbers  weight = units of one permit, speed = units regained in a microsecond, queues = 1 if work is told to wait

local function tokenBucket(key, capacity, weight, speed, queues)
  local missing, last = 0, ANCIENT
  local full = capacity * weight
  local raw = redis.call('GET', key)
  if raw then
    local weightThen
    missing, last, weightThen = struct.unpack('>ddd', raw)
    if weightThen ~= weight then -- the limit was changed: as many permits as before, rounded up, are missing
      missing = math.ceil(missing / weightThen * weight * (1 + 2 ^ -50))
    end
  end

  local function left(units, micros)
    if micros <= 0 then return units end
    return math.max(0, units - micros * speed)
  end

  local state = { capacity = capacity }

  function state.admits(cost)
    return left(missing, now - last) <= full - cost * weight
  end

  function state.take(time, cost)
    missing = left(missing, time - last) + cost * weight
    last = math.max(time, last)
  end

  function state.latest()
    return last
  end

  function state.used()
    return ceilDiv(left(missing, now - last), weight)
  end

  function state.readyAt(cost)
    local tooMuch = left(missing, now - last) + cost * weight - full
    if tooMuch <= 0 then return now end
    return math.max(now, last) + ceilDiv(tooMuch, speed)
  end

  function state.freshAt()
    if missing == 0 then return ANCIENT end
    return last + ceilDiv(missing, speed)
  end

  function state.departsAt()
    if queues == 0 then return now end
    local waiting = left(missing, now - last)
    if waiting == 0 then return now end
    return math.max(now, last) + ceilDiv(waiting, speed)
  end

  function state.giveBack(takenAt, cost)
    missing = missing - math.min(missing, left(cost * weight, math.max(now, last) - takenAt))
  end

  function state.write()
    keep(key, struct.pack('>ddd', missing, last, weight), state.freshAt())
  end

  return state
end
