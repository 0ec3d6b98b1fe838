-- Twin of FixedWindow.java: a count, and when its window ends.
--
-- state    start and end of the window, permits in it: three doubles
-- numbers  period; turn = how windows begin: 0 with the first request, 1 at multiples of the period, 2 at spanStart,
--          which the caller worked out from a calendar: if now is not before spanEnd, it is told so and asks again

local function fixedWindow(key, capacity, period, turn, spanStart, spanEnd)
  local start, finish, count = ANCIENT, ANCIENT, 0
  local raw = redis.call('GET', key)
  if raw then
    start, finish, count = struct.unpack('>ddd', raw)
  end

  local function turnAt(time)
    if turn == 0 then return time, time + period end
    if turn == 2 then return spanStart, spanEnd end
    local from = floorDiv(time, period) * period
    return from, from + period
  end

  if raw and turn == 0 and finish - start ~= period and now < finish then -- the limit was changed
    if finish - start < period then finish = start + period end
    finish = math.min(finish, now + period)
    start = finish - period
  elseif raw and turn == 1 and finish - start ~= period and now < finish then
    start, finish = turnAt(now)
  end

  local state = { capacity = capacity, outOfSpan = turn == 2 and (now < spanStart or now >= spanEnd) }

  function state.used()
    if now < finish then return count end
    return 0
  end

  function state.admits(cost)
    return state.used() <= capacity - cost
  end

  function state.take(time, cost)
    if time >= finish then
      start, finish = turnAt(time)
      count = 0
    end
    count = count + cost
  end

  function state.latest()
    return start
  end

  function state.readyAt(cost)
    if state.admits(cost) then return now end
    return finish
  end

  function state.freshAt()
    return finish
  end

  function state.departsAt()
    return now
  end

  function state.giveBack(takenAt, cost)
    if now < finish and takenAt < finish and takenAt >= start then
      count = count - math.min(count, cost)
      if count == 0 then start, finish = ANCIENT, ANCIENT end
    end
  end

  function state.write()
    keep(key, struct.pack('>ddd', start, finish, count), finish)
  end

  return state
end
