-- What all algorithms share in reading a state.

--@continue
-- Only if the limit continues the counts of another: its state is a copy of the other's if it has none.
if call('EXISTS', key_) == 0 then
  local other = KEYS[k + k_ + 1]
  local before = try('GET', other)
  local millis = call('PTTL', other)
  if type(before) == 'string' and millis > 0 then
    call('SET', key_, before, 'PX', millis)
  elseif type(before) == 'string' then
    call('SET', key_, before)
  end
end

--@broken
-- The state cannot be, so it is deleted and the caller asks again.
problem, broken = 4, broken or {}
broken[#broken + 1] = key_

--@suspect
if raw_ then
  local claim
  --@claim
  --@verify
end
