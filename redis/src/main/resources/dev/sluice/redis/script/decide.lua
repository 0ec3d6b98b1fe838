-- Decides on requests. Each is for one limit or several: all of them are charged or none.
--
-- There are two scripts of this: for a request by itself, without the lines between @several and @done; and for several
-- requests, without those between @alone and @done. Several come in groups: those of a group are for the same keys and are
-- decided one after another, as if each were a script of its own. The states of a group are read once and written once.
-- Requests of a group that are alike and follow each other are a run. If all of a run are admitted, they are charged in one
-- step: to take a and then b at the same instant is to take a + b.
--
-- KEYS   for each group one for each limit, and one more for each limit that continues the counts of another
-- ARGV   one string of little-endian doubles, for each group:
--        taking    1: charge the permits of a request if all limits admit them; 0: only reply as if, to one request
--        runs      how many; not for a request by itself
--        then for each limit the numbers of its algorithm
--        then for each run
--          times     how many requests, 1 if the charges of a limit are not alike; not for a request by itself
--          cost      the permits of one
--          maxDelay  the longest acceptable delay in microseconds
--          then for each limit its room: the most permits that may be in use after this
-- Reply  one string, for each request a byte and little-endian doubles:
--        1 if admitted, else 0; now; when the permits were taken; when the work may start;
--        then for each limit the permits in use, when its state will equal a fresh one, when it admits the cost, and
--        its mark of the charge, which a refund needs
--        The byte is 2 if this is the last request of a run of which all are admitted. It stands for all of them: those
--        before it left the cost less in use. A bucket then says what is missing in place of when it admits the cost
--        The byte is 3 if a calendar window has ended and the caller must work out the next one, 4 if a state was damaged
--        and has been deleted, 5 if the clock is behind the states, so that requests must come one by one: nothing was
--        decided, and the caller asks again
--        all times are microseconds since 1970
--
-- Atomic, because Redis runs no other command during a script.
--
-- The lines between @each and @end are repeated for each limit, with names that end in _ separate for each. @read and the
-- like stand for a part of the algorithm's file, of the clock's or of state.lua. Numbers are packed, and parts are pasted
-- instead of called, because every run starts anew: parsing text and defining functions takes longer than the decision.

local broken
--@several
local args, at = ARGV[1], 1
local replies, length = {}, 0
--@done
--@groups
  --@first
  local latest, dirty, problem, copies = now, false, 0, nil
  --@each
  local key_ = KEYS[k + k_]
  --@continue
  --@read
  local used_, freshAt_, readyAt_, mark_ = 0, ANCIENT, now, 0
  --@migrate
  --@end
  --@several
  local decided = false
  for run = 1, runs do
    if run > 1 then
      --@next
    end
    local one, together = cost, 1
    if times > 1 and latest == now and problem == 0 then cost, together = one * times, times end
    while times > 0 do
  --@done
      local admitted, departsAt, outcome = true, now, problem
      --@several
      if outcome == 0 and decided and latest > now then outcome = 5 end
      --@done
      if outcome == 0 then
        --@each
        --@ask
        --@end
        if (admitted or cost == 0) and departsAt - now <= maxDelay then
          outcome = 1
          if cost > 0 then
            --@each
            --@charge
            --@end
            dirty = taking == 1
          end
          --@several
          --@each
          readyAt_, freshAt_ = now, ANCIENT
          --@end
          --@done
          --@each
          --@used
          --@fresh
          --@end
          --@several
          if together > 1 then
            outcome = 2
            --@each
            --@level
            --@end
          end
        elseif together > 1 then
          outcome = 0 -- one by one, then
          --@done
        else
          --@several
          --@each
          readyAt_, freshAt_, mark_ = now, ANCIENT, 0
          --@end
          --@done
          --@each
          --@used
          --@fresh
          if cost <= room_ and not (used_ + cost <= room_) then
            --@ready
            if not dirty and not (copies and copies[key_]) then -- else the state was written just now
              --@suspect
            end
          end
          --@end
          outcome = problem
        end
      end
      --@alone
      --@record
      --@done
      --@several
      if outcome == 0 and together > 1 then
        cost, together = one, 1
      else
        --@record
        length = length + 1
        replies[length] = record
        decided, times = true, times - together
      end
    end
  end
  --@done
  if dirty then
    --@each
    do
      --@write
    end
    --@end
  end
  if broken then
    for i = 1, #broken do call('DEL', broken[i]) end
    broken = nil
  end
  --@alone
  do return record end
  --@done
end
--@several
return table.concat(replies)
--@done
