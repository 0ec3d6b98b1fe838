# Requests by address and minute: how many such counts are above 120.
{ count[$1 " " substr($4, 2, 17)]++ }
END {
  for (each in count) if (count[each] > 120) above++
  print NR " requests, " above + 0 " minutes of an address with more than 120"
}
